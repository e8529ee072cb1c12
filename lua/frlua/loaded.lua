--- Where a file comes to lie in a running process, and whether its code is on huge pages there.
---
--- A program is looked at when its exec is done and before its first instruction: nothing of what
--- it would do happens. Only a command that was asked for is let run.
local check <const> = require "frlua.check"
local core <const> = require "frlua.core"
local hold <const> = require "frlua.native" "hold"
local kernel <const> = require "frlua.kernel"
local machine <const> = require "frlua.machine"
local signals <const> = require "frlua.signals"
local smaps <const> = require "frlua.smaps"

local loaded <const> = {}

---@class frlua.Loaded
---@field addresses integer[] by start: that much is added to the addresses in the file
---@field different integer how many different ones there are
---@field alignment integer? the largest power of two that divides all of them; nil when all are 0
---@field text frlua.LoadedText? how its code is mapped, in the first start
---@field text_why string? why that is unknown

---@class frlua.LoadedText
---@field bytes integer of its mapping
---@field resident_bytes integer?
---@field huge_bytes integer? that huge page table entries map; nil when the kernel does not say
---@field has_ended boolean the command had ended when it was looked at again

local LONGEST_WAIT_NS <const>, BETWEEN_LOOKS_NS <const> = 3000000000, 5000000

-- As the kernel writes it: a newline would end the line.
local function shown_path(path)
  return (path:gsub("\n", "\\012"))
end

-- The mappings of a process, and the first one that is of the file.
local function look(pid, path)
  local mappings <const>, why <const> = smaps.read(pid)
  for _, mapping in ipairs(mappings or {}) do
    if mapping.path == path then return mappings, mapping end
  end
  return mappings, nil, why
end

-- What was added to the addresses in the file. Whole pages are mapped, whatever p_align is.
local function bias_of(found, mapping)
  local page <const> = machine.page_bytes
  for _, segment in ipairs(found.loads) do
    if segment.offset // page * page == mapping.offset then
      return mapping.from - segment.vaddr // page * page
    end
  end
end

local function is_blocked(pid)
  local stat <const> = kernel.text(("/proc/%d/stat"):format(pid))
  return stat and stat:match "^.*%) (%a)" == "S"
end

local function pause()
  require "posix.time".nanosleep { tv_sec = 0, tv_nsec = BETWEEN_LOOKS_NS }
end

-- Looks again and again until `is_done` says so, the program has ended, or it takes too long.
local function watch(held, is_done)
  local clock <const> = require "frlua.clock"
  local start <const> = clock()
  repeat
    local has_ended <const> = held:has_ended()
    if is_done(held:pid()) then return true end
    if has_ended then return false, "it ended before that was seen" end
    pause()
  until clock() - start > LONGEST_WAIT_NS or core.interrupted()
  return false, ("it was watched for %d s"):format(LONGEST_WAIT_NS // 1000000000)
end

-- The mapping of the file in a started program, and why there is none. A library comes only when
-- the program runs.
local function find(held, path, is_let_run)
  local _, mapping <const>, why <const> = look(held:pid(), path)
  if mapping or not is_let_run then return mapping, false, why or "it is not mapped at its exec" end
  local released <const>, refused <const> = held:release()
  if not released then return nil, false, refused end
  local seen
  local ok <const>, not_seen <const> = watch(held, function(pid)
    seen = select(2, look(pid, path))
    return seen ~= nil
  end)
  return seen, true, not ok and "it was not mapped: " .. not_seen or nil
end

-- How the code is mapped when the program waits for something, or when it was seen last.
local function text_of(held, found, path, bias)
  local segment <const> = found.text.segment
  if not segment then return nil, found.text.why end
  local from <const> = bias + segment.vaddr
  local last
  local blocked <const>, why <const> = watch(held, function(pid)
    local is_waiting <const> = is_blocked(pid) -- asked first: what it did before that is then seen
    local mappings <const>, mapping <const> = look(pid, path)
    local sum <const> = mapping and smaps.sum(mappings, from, from + segment.filesz)
    last = sum or last
    return sum and is_waiting
  end)
  if not last then return nil, why end
  return {
    bytes = last.to - last.from, resident_bytes = smaps.resident(last),
    huge_bytes = smaps.huge_bytes(last), has_ended = not blocked and held:has_ended(),
  }
end

local HELD <const> = "it was held before its first instruction, where nothing of its code is mapped"
  .. " in yet: only a command is let run"

-- One start: the bias, and of the code what is asked for.
local function start_once(found, path, argv, is_let_run, wants_text)
  local held <close>, message <const>, code <const> = hold.start(argv)
  if not held then
    return nil, ("cannot start %s: %s (%s)"):format(check.show(argv[1]), message,
      signals.error_name(code))
  end
  local mapping <const>, is_released <const>, why <const> = find(held, path, is_let_run)
  local bias <const> = mapping and bias_of(found, mapping)
  if not bias then return nil, why or "none of its segments is at the start of its mapping" end
  if not wants_text then return bias end
  if not is_let_run then return bias, nil, HELD end
  if not is_released then
    local released <const>, refused <const> = held:release()
    if not released then return bias, nil, refused end
  end
  return bias, text_of(held, found, path, bias)
end

local function alignment_of(addresses)
  local bits = 0
  for _, address in ipairs(addresses) do bits = bits | address end
  if bits ~= 0 then return bits & -bits end
end

local function count_different(addresses)
  local seen <const>, count = {}, 0
  for _, address in ipairs(addresses) do
    if not seen[address] then seen[address], count = true, count + 1 end
  end
  return count
end

---Starts a program again and again, and looks where the file lies in it.
---@param found frlua.Elf
---@param command? string[] that uses the file, and is let run: its input is a pipe where nothing
---comes, its output is discarded, and it is killed when it has been looked at. Without one the
---file itself is started, and killed before its first instruction
---@param starts integer
---@return frlua.Loaded?
---@return string? why it is unknown
function loaded.observe(found, command, starts)
  if not command and not found.is_program then
    return nil, found.type == "DYN" and "a shared library is not started: a command can load it"
      or "it is no program"
  end
  local real <const> = require "posix.stdlib".realpath(found.path)
  if not real then return nil, ("'%s' is gone"):format(found.path) end
  local result <const> = { addresses = {} }
  for index = 1, starts do
    local bias <const>, text <const>, why <const> = start_once(found, shown_path(real),
      command or { real }, command ~= nil, index == 1)
    if not bias then return nil, text end
    result.addresses[index] = bias
    if index == 1 then result.text, result.text_why = text, why end
  end
  result.different = count_different(result.addresses)
  result.alignment = alignment_of(result.addresses)
  return result
end

return loaded

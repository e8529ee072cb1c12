--- Page faults with their addresses: which mapping each fell in, and which code made it. What comes
--- from frlua.core is a trace of columns; what scripts get is its account.
local json <const> = require "frlua.json"
local kernel <const> = require "frlua.kernel"
local signals <const> = require "frlua.signals"
local smaps <const> = require "frlua.smaps"

local trace <const> = {}

---@class frlua.FaultRun faults one after the other, of the same code, in equal steps
---@field address integer that the first of them accessed
---@field count integer
---@field step integer bytes from one address to the next; 0 for a single fault
---@field mapping string
---@field code string the mapping of the instruction, or "kernel"
---@field code_address integer of the instruction
---@field major boolean had to wait for a device

---@class frlua.FaultAccount by_mapping + in_kernel + lost = total, always
---@field total integer? minor and major faults, as getrusage(2) counts them; nil when unknown
---@field by_mapping { mapping: string, count: integer }[] the largest first
---@field by_code { code: string, count: integer }[] likewise
---@field in_kernel integer? made inside the kernel, of which no address is known; nil when unknown
---@field in_kernel_why string?
---@field kernel_excluded boolean this user may not trace the kernel: what system calls such as
---read(2) access for their caller is in_kernel, too
---@field lost integer faults whose record was lost, as the buffer was full
---@field faults frlua.FaultRun[] all that have an address, in the order in which they came

local MAJOR <const>, OF_KERNEL <const> = 1, 2

local SPECIAL <const> = {
  ["//anon"] = "anonymous memory",
  ["/dev/zero"] = "shared anonymous memory",
}

-- "libc text" for the code of /usr/lib/libc.so.6; "stack" for "[stack]".
local function name_of(path, perms)
  local file <const> = path:gsub(" %(deleted%)$", "")
  if SPECIAL[file] then return SPECIAL[file] end
  local bracketed <const> = file:match "^%[(.+)%]$"
  if bracketed then return bracketed end
  local base <const> = file:match("[^/]*$"):gsub("%.so[%d.]*$", "")
  local part <const> = perms:find "x" and "text" or perms:find "w" and "data" or "read-only data"
  return base .. " " .. part
end

-- Variables that begin as zero have no place in the file: the loader maps memory for them right
-- behind the file's data, and right after it.
local function is_bss(mapping, before)
  return mapping.path == "//anon" and before ~= nil and before.path:find "^/[^/]" ~= nil
    and before.perms:find "w" ~= nil and before.to == mapping.from
end

local function named(mappings)
  local list <const> = {}
  for index, mapping in ipairs(mappings) do
    local before <const> = mappings[index - 1]
    list[index] = {
      from = mapping.from, to = mapping.to, time_ns = mapping.time_ns,
      name = is_bss(mapping, before) and name_of(before.path, "r"):gsub("read%-only data$", "bss")
        or name_of(mapping.path, mapping.perms),
    }
  end
  return list
end

local function holds(mapping, address)
  return math.ult(address, mapping.to) and not math.ult(address, mapping.from)
end

local NOWHERE <const> = "unknown mapping"

-- A function that names the mapping of an address, at times that never go back. What was mapped
-- last is what is there; regions are known by their own names, whatever else is known of them.
local function finder(mappings, regions)
  local known, last = 0, nil
  return function(address, time_ns)
    local before <const> = known
    while mappings[known + 1] and mappings[known + 1].time_ns <= time_ns do known = known + 1 end
    if last and known == before and holds(last, address) then return last.name end
    for _, region in ipairs(regions) do
      if holds(region, address) then
        last = region
        return region.name
      end
    end
    for index = known, 1, -1 do
      if holds(mappings[index], address) then
        last = mappings[index]
        return last.name
      end
    end
    return NOWHERE
  end
end

---How many faults of runs have the same mapping, or the same code.
---@param runs frlua.FaultRun[]
---@param key "mapping"|"code"
---@return table[] # { [key] = name, count = integer }, the largest first, equal ones in the order
---in which they came
function trace.sums(runs, key)
  local list <const>, by_name <const>, place <const> = {}, {}, {}
  for _, run in ipairs(runs) do
    local name <const> = run[key]
    if not by_name[name] then
      list[#list + 1] = { [key] = name, count = 0 }
      by_name[name] = list[#list]
      place[by_name[name]] = #list
    end
    by_name[name].count = by_name[name].count + run.count
  end
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return place[a] < place[b]
  end)
  return list
end

local function continues(run, fault)
  local step <const> = fault.address - (run.address + (run.count - 1) * run.step)
  return run.mapping == fault.mapping and run.code_address == fault.code_address
    and run.code == fault.code and run.major == fault.major
    and (run.count == 1 or run.step == step), step
end

local function add_to_runs(runs, fault)
  local run <const> = runs[#runs]
  local does_continue, step
  if run then does_continue, step = continues(run, fault) end
  if does_continue then
    run.count, run.step = run.count + 1, step
  else
    runs[#runs + 1] = fault
  end
end

-- The first fault at or after a time; #times + 1 when there is none.
local function first_at(times, time_ns)
  local low, high = 1, #times + 1
  while low < high do
    local middle <const> = (low + high) // 2
    if times[middle] < time_ns then low = middle + 1 else high = middle end
  end
  return low
end

-- At most so many records were lost in a stretch of time. Those behind the last record are in no
-- gap: nothing came that could have told of them.
local function lost_between(raw, from_ns, to_ns)
  local lost, told = 0, 0
  for _, gap in ipairs(raw.gaps) do
    told = told + gap.lost
    if gap.to_ns >= from_ns and (gap.from_ns or from_ns) <= to_ns then lost = lost + gap.lost end
  end
  local last <const> = raw.time_ns[#raw.time_ns]
  if not last or last <= to_ns then lost = lost + math.max(0, raw.lost - told) end
  return math.min(lost, raw.lost)
end

-- What has no address: a fault inside the kernel has no record, nor has one that was lost.
local function settle(account, raw, window)
  local with_address = 0
  for _, item in ipairs(account.by_mapping) do with_address = with_address + item.count end
  account.lost = lost_between(raw, window.from_ns, window.to_ns)
  if not window.total then
    account.in_kernel_why = window.total_why
    return account
  end
  account.total = window.total
  local rest <const> = window.total - with_address
  if rest < 0 then
    account.in_kernel_why = ("%d more faults have a record than were counted"):format(-rest)
    return account
  end
  account.lost = math.min(account.lost, rest)
  account.in_kernel = rest - account.lost
  return account
end

local function regions_of(window)
  local regions <const> = {}
  for index, region in ipairs(window.regions or {}) do
    local page <const> = require "frlua.machine".page_bytes
    local pages <const> = (region.bytes + page - 1) // page
    regions[index] = {
      name = region.name, from = region.address, to = region.address + pages * page,
    }
  end
  return regions
end

---Accounts for the faults in a stretch of time.
---@param raw table a trace of frlua.core
---@param window { from_ns: integer, to_ns: integer, total: integer?, total_why: string?,
---  regions: { name: string, address: integer, bytes: integer }[]? } `total`: the count of minor
---and major faults in that time; `regions`: memory with a name of its own
---@return frlua.FaultAccount
function trace.account(raw, window)
  local find <const> = finder(named(raw.mappings), regions_of(window))
  local find_code <const> = finder(named(raw.mappings), {})
  local runs <const>, times <const> = {}, raw.time_ns
  for index = first_at(times, window.from_ns), first_at(times, window.to_ns + 1) - 1 do
    local time_ns <const>, address <const>, kind <const> = times[index], raw.address[index],
      raw.kind[index]
    add_to_runs(runs, {
      address = address, count = 1, step = 0, mapping = find(address, time_ns),
      code = kind & OF_KERNEL ~= 0 and "kernel" or find_code(raw.code[index], time_ns),
      code_address = raw.code[index], major = kind & MAJOR ~= 0,
    })
  end
  return settle({
    by_mapping = trace.sums(runs, "mapping"), by_code = trace.sums(runs, "code"), faults = runs,
    kernel_excluded = raw.kernel_excluded,
  }, raw, window)
end

---An account as that of a part of a process.
---@param account frlua.FaultAccount
---@param part string
---@return table
function trace.part_of(account, part)
  local plain <const> = { part = part }
  for _, key in ipairs { "total", "in_kernel", "in_kernel_why", "lost", "kernel_excluded" } do
    plain[key] = account[key]
  end
  plain.total_why = not account.total and account.in_kernel_why or nil
  for _, key in ipairs { "by_mapping", "by_code", "faults" } do
    plain[key] = json.array(table.move(account[key], 1, #account[key], 1, {}))
  end
  return plain
end

---What this process has mapped already, which a trace of it does not tell.
---@return table[] mappings as they are in a trace; none when /proc/self/maps can't be read
function trace.mapped()
  local list <const> = {}
  for index, mapping in ipairs(smaps.parse(kernel.text "/proc/self/maps" or "")) do
    list[index] = {
      time_ns = 0, from = mapping.from, to = mapping.to, perms = mapping.perms,
      path = mapping.path or "//anon",
    }
  end
  return list
end

---Why there is no trace, in words.
---@param message string
---@param errno integer
---@return string
function trace.refusal(message, errno)
  local name <const> = signals.error_name(errno)
  local paranoid <const> = (name == "EACCES" or name == "EPERM")
    and kernel.line "/proc/sys/kernel/perf_event_paranoid"
  return ("%s (%s)%s"):format(message, name,
    paranoid and ", kernel.perf_event_paranoid is " .. paranoid or "")
end

local FOREVER <const> = { from_ns = math.mininteger, to_ns = math.maxinteger - 1 }

---@class frlua.ProgramFaults : frlua.FaultAccount of a whole program, from its exec to its end
---@field within fun(self, window: table): frlua.FaultAccount of a part: `from_ns` and `to_ns` of
---fr.clock, by default from exec to end; `total`, the program's own count of its faults in
---that time; `regions`, a list of { name =, address =, bytes = }
---@field other_threads integer? faults of threads that the program started, in none of the others

---The account of a traced program.
---@param raw table
---@return frlua.ProgramFaults
function trace.of_program(raw)
  local total, why
  if raw.counts_error then
    why = "what the program counted can't be read: " .. signals.error_name(raw.counts_error)
  else
    total = raw.minor_faults + raw.major_faults
  end
  local whole <const> = trace.account(raw, {
    from_ns = FOREVER.from_ns, to_ns = FOREVER.to_ns, total = total, total_why = why,
  })
  whole.other_threads = raw.other_threads
  local function within(_, window)
    return trace.account(raw, {
      from_ns = window.from_ns or FOREVER.from_ns, to_ns = window.to_ns or FOREVER.to_ns,
      total = window.total, total_why = "the count of the faults in that time was not given",
      regions = window.regions,
    })
  end
  return setmetatable(whole, { __index = { within = within } })
end

return trace

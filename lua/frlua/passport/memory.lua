--- The passport's facts of memory: pages, policies for huge ones, and how much is free.
local fact <const> = require "frlua.passport.fact"
local kernel <const> = require "frlua.kernel"
local units <const> = require "frlua.units"

local memory <const> = {}

-- What is free, as a share of all: below it the kernel soon takes pages back while samples run.
local LITTLE_FREE <const> = 0.1

local function pages(known)
  return fact.of(known, "page_bytes", function(value)
    return "ok", "A first write faults once for each of them.", units.bytes(value)
  end, "Faults can't be counted against pages.")
end

local function lines(known)
  return fact.of(known, "line_bytes", function(value)
    return "ok", "What a load brings into the cache.", units.bytes(value)
  end, "Layouts must name a line themselves.")
end

local function huge_pages(known)
  return fact.of(known, "huge_page_bytes", function(value)
    return "ok", "Regions for huge pages are aligned to it, and of whole ones.", units.bytes(value)
  end, "Whether memory is in huge pages can't be told, and claims on them are withdrawn.")
end

local THP <const> = {
  always = { "note", "Regions that nobody advised may be huge, too: fault counts depend on their"
    .. " alignment. Arms for small pages advise 'nohugepage', and smaps tells." },
  madvise = { "ok", "Only regions that are advised 'hugepage' become huge." },
  never = { "note", "Advice has no effect: arms with huge pages are none, unless by"
    .. " MADV_COLLAPSE, and claims on them are withdrawn." },
}

local function thp(known)
  return fact.of(known, "thp", function(value)
    local meant <const> = THP[value]
    if meant then return meant[1], meant[2] end
    return "note", "A setting that is not known here: smaps tells what came of it."
  end, "Which regions become huge can only be read back from smaps.")
end

local function thp_defrag(known)
  return fact.of(known, "thp_defrag", function(value)
    if value == "always" then
      return "note", "A fault may wait while the kernel moves pages to make a huge one."
    end
    return "ok", "Faults in regions that are not advised do not wait for a huge page."
  end, "Whether a fault waits for a huge page is not known.")
end

local function mthp_text(sizes)
  local parts <const> = {}
  for size, word in pairs(sizes) do parts[#parts + 1] = ("%s %s"):format(size, word) end
  table.sort(parts)
  return parts[1] and table.concat(parts, ", ") or "none"
end

-- The settings of sizes between a page and the largest: those of the largest are what `thp` tells.
local function words_below(sizes, known)
  local largest <const>, words <const> = known.huge_page_bytes, {}
  for size, word in pairs(sizes) do
    if not largest or size ~= units.bytes(largest) then
      words[word == "inherit" and known.thp or word] = true
    end
  end
  return words
end

local SEVERAL <const> = "%s a fault may bring several pages at once: counts are smaller then, and"
  .. " AnonHugePages, which counts the largest size only, does not tell."

local function mthp(known)
  return fact.of(known, "mthp", function(value)
    local words <const>, text <const> = words_below(value, known), mthp_text(value)
    words.never = nil
    if not next(words) then return "ok", "No size below the largest is in use.", text end
    local is_advised <const> = words.madvise and not next(words, next(words))
    return is_advised and "ok" or "note",
      SEVERAL:format(is_advised and "Where 'hugepage' is advised," or "Unadvised, too,"), text
  end, "Whether a fault may bring several pages at once is not known.")
end

local function thp_disabled(known)
  local made <const> = fact.of(known, "thp_disabled", function(value)
    if value then
      return "note", "This process and the samples it starts get no transparent huge pages"
        .. " (PR_SET_THP_DISABLE): claims on them are withdrawn.", "yes"
    elseif known.thp_only_advised then
      return "note", "This process and the samples it starts get them only where advised"
        .. " (PR_SET_THP_DISABLE), whatever the setting is.", "unless advised"
    end
    return "ok", "This process may get transparent huge pages.", "no"
  end, "Whether this process may get transparent huge pages is not known.")
  made.only_advised = known.thp_only_advised
  return made
end

local function kilobytes(text, name)
  local number <const> = text:match(("\n%s: +(%%d+) kB"):format(name))
  return number and tonumber(number) * 1024 -- what the kernel calls kB is a KiB
end

local function meminfo(name)
  local text <const>, message <const> = kernel.text "/proc/meminfo"
  if not text then return nil, message end
  local bytes <const> = kilobytes("\n" .. text, name)
  if bytes then return bytes end
  return nil, "/proc/meminfo has no " .. name
end

local function available(known)
  local bytes <const>, why <const> = meminfo "MemAvailable"
  local name <const>, total <const> = "memory_available_bytes", known.memory_bytes
  if not bytes then return fact.unknown(name, why, "Whether samples find memory is not known.") end
  local text <const> = units.bytes(bytes) .. (total and " of " .. units.bytes(total) or "")
  if total and bytes < LITTLE_FREE * total then
    return fact.known(name, bytes, text, "disturbs",
      "The kernel takes pages back while samples run: faults cost more, and files get cold.")
  end
  return fact.known(name, bytes, text, "ok", "A fault finds a free page at once.")
end

local function swap()
  local total <const>, why <const> = meminfo "SwapTotal"
  local free <const>, free_why <const> = meminfo "SwapFree"
  local name <const> = "swap_used_bytes"
  if not total or not free then
    return fact.unknown(name, why or free_why, "Whether pages can be swapped out is not known.")
  elseif total == 0 then
    return fact.known(name, 0, "no swap", "ok", "No page of a sample is swapped out.")
  end
  local text <const> = ("%s of %s"):format(units.bytes(total - free), units.bytes(total))
  return fact.known(name, total - free, text, "note",
    "Pages may be swapped out in a pause: the major faults of a sample tell.")
end

---@param seen frlua.Seen
---@return frlua.Fact[]
function memory.facts(seen)
  local known <const> = seen.known
  return { pages(known), lines(known), huge_pages(known), thp(known), thp_defrag(known),
    mthp(known), thp_disabled(known), available(known), swap() }
end

return memory

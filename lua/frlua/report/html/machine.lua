--- The passport of the machine on a page: what a measurement depends on.
local markup <const> = require "frlua.report.html.markup"
local units <const> = require "frlua.units"

local machine <const> = {}

-- What is not known stands with its reason.
local function known(facts, name, write)
  local value <const> = facts[name]
  if value == nil then
    local why <const> = facts[name .. "_why"]
    return "unknown" .. (why and ": " .. why or "")
  end
  return write and write(value) or tostring(value)
end

local function yes_or_no(value) return value and "yes" or "no" end

local function caches_text(caches)
  local texts <const> = {}
  for index, cache in ipairs(caches) do
    texts[index] = ("L%s %s %s%s"):format(tostring(cache.level), tostring(cache.type):lower(),
      type(cache.bytes) == "number" and units.bytes(cache.bytes) or "of unknown size",
      type(cache.ways) == "number" and (", %d ways"):format(cache.ways) or "")
  end
  return texts[1] and table.concat(texts, "; ") or "none seen"
end

local function sizes_text(sizes)
  local names <const>, texts <const> = {}, {}
  for name in pairs(sizes) do names[#names + 1] = name end
  table.sort(names)
  for index, name in ipairs(names) do texts[index] = name .. " " .. tostring(sizes[name]) end
  return texts[1] and table.concat(texts, ", ") or "none"
end

local function clock_text(clock)
  return ("%s%s: %s a reading, steps of %s"):format(clock.source,
    clock.vdso and " from the vDSO" or " by system call",
    clock.read_ns and units.fixed(clock.read_ns, 1) .. " ns" or "unknown",
    clock.step_ns and units.count(clock.step_ns) .. " ns" or "unknown")
end

local function rows_of(document)
  local facts <const>, built <const> = document.machine, document.frlua
  return {
    { "Processor", known(facts, "cpu_model") .. ", " .. known(facts, "arch") },
    { "Hypervisor", facts.hypervisor or "none seen" },
    { "Kernel", "Linux " .. known(facts, "kernel") },
    { "CPU of the samples", ("%d: %s"):format(document.design.cpu, document.design.cpu_why) },
    { "Allowed CPUs", known(facts, "cpus_allowed") },
    { "Kind of core", known(facts, "core_kind") },
    { "Governor", known(facts, "governor") },
    { "Clock frequency", known(facts, "frequency_khz", function(khz)
      return units.fixed(khz / 1000, 0) .. " MHz"
    end) },
    { "Pages", ("%s, huge ones %s"):format(known(facts, "page_bytes", units.bytes),
      known(facts, "huge_page_bytes", units.bytes)) },
    { "Transparent huge pages", ("%s; defrag %s; off for this process: %s"):format(
      known(facts, "thp"), known(facts, "thp_defrag"), known(facts, "thp_disabled", yes_or_no)) },
    { "mTHP sizes", known(facts, "mthp", sizes_text) },
    { "Caches of that CPU, as reported", known(facts, "caches", caches_text) },
    { "Memory", known(facts, "memory_bytes", units.bytes) },
    { "Address space randomized", known(facts, "aslr") },
    { "Clock", clock_text(document.clock) },
    { "Clock source of the kernel", known(facts, "clocksource") },
    { "frlua", ("%s, commit %s, %s"):format(known(built, "version"), known(built, "commit"),
      known(built, "compiler")) },
  }
end

---@param document table
---@return string
function machine.render(document)
  return '<section aria-labelledby="machine"><h2 id="machine">The machine</h2>\n'
    .. markup.facts(rows_of(document)) .. "\n</section>"
end

return machine

--- Evidence: what is read back in a sample about the memory that it worked on, and what the kernel
--- refused of it.
local backing <const> = require "frlua.backing"
local job <const> = require "frlua.job"
local json <const> = require "frlua.json"
local refusal <const> = require "frlua.refusal"
local signals <const> = require "frlua.signals"
local smaps <const> = require "frlua.smaps"

local evidence <const> = {
  CUT_SHORT = "the sample did not come to its end", -- why something was not read
}

-- What smaps says of one region, in bytes; nil where it has no such field.
local function of_region(entries, region, address)
  local sum <const> = smaps.sum(entries, address, address + region.bytes)
  if not sum then return { region = region.name, why = "no entry in smaps covers it" } end
  local found <const> = backing.of(sum, address, region.bytes)
  found.region, found.bytes = region.name, region.bytes
  found.anon_huge_bytes = sum.fields.AnonHugePages
  return found
end

-- What the page table maps of each region that it was read of, beside what smaps says.
local function tables_of(outcome, regions)
  local list <const> = json.array {}
  for index, region in ipairs(regions) do
    local found <const> = outcome.tables[index]
    if found then
      local code <const>, entry <const> = found.error, { region = region.name }
      if code == 0 then
        entry.method, entry.present_bytes, entry.huge_bytes =
          found.method, found.present_bytes, found.huge_bytes
      else
        entry.why = refusal.text("page_table", code)
      end
      list[#list + 1] = entry
    end
  end
  return list[1] and list
end

local function refused(code, number, region, phase)
  return {
    op = code, region = region.name, phase = phase,
    error = signals.error_name(number), means = refusal.meaning(code, number, region),
  }
end

local function by_name(regions)
  local named <const> = {}
  for _, region in ipairs(regions) do named[region.name] = region end
  return named
end

-- Everything that was refused, also what the sample went on without.
local function refusals_of(outcome, arm, regions)
  local list <const>, named <const> = json.array {}, by_name(regions)
  for index, region in ipairs(regions) do
    local hints <const> = outcome.hints[index]
    if hints.advice_error ~= 0 then
      list[#list + 1] = refused("advise", hints.advice_error, region)
    end
    if hints.lock_error ~= 0 then list[#list + 1] = refused("map", hints.lock_error, region) end
  end
  for number, came in ipairs(outcome.ops) do
    if came.error ~= 0 then
      local op <const>, phase <const> = job.op_at(arm, number)
      list[#list + 1] = refused(op.code, came.error, named[op.region], phase.name)
    end
  end
  return list[1] and list
end

-- What was still in memory after a file was to be dropped from it.
local function evictions_of(outcome, arm, regions)
  local list <const>, named <const> = json.array {}, by_name(regions)
  local page <const> = require "frlua.machine".page_bytes
  for number, came in ipairs(outcome.ops) do
    local op <const>, phase <const> = job.op_at(arm, number)
    if op.code == "evict_file" and outcome.stage ~= "map" then
      local pages <const> = (named[op.region].bytes + page - 1) // page
      list[#list + 1] = {
        region = op.region, phase = phase.name, pages = pages,
        resident_pages = came.resident_pages, is_cold = came.resident_pages == 0,
      }
    end
  end
  return list[1] and list
end

-- What the audits of layouts counted, with the seed of the order that their chains were linked in.
local function layouts_of(outcome, regions, seeds)
  local list <const> = json.array {}
  for index, region in ipairs(regions) do
    local audit <const> = outcome.audits[index]
    if audit then
      audit.region, audit.seed = region.name, seeds[index]
      list[#list + 1] = audit
    end
  end
  return list[1] and list
end

local function is_touch_loop(outcome)
  for _, came in ipairs(outcome.ops) do
    if came.is_touch_loop then return true end
  end
end

---Evidence of one sample, from the smaps text that its worker read in the end, and from what came
---of the operations that ask the kernel.
---@param outcome table of frlua.core.sample
---@param arm table
---@param regions table[] that the arm works on
---@param seeds? table<integer, integer> of the chains of those that have a layout
---@return table
function evidence.of_sample(outcome, arm, regions, seeds)
  local found <const> = {
    checksum = outcome.checksum,
    checksum_why = not outcome.checksum and evidence.CUT_SHORT or nil,
    refused = refusals_of(outcome, arm, regions) or nil,
    evicted = evictions_of(outcome, arm, regions) or nil,
    page_tables = outcome.stage == "done" and tables_of(outcome, regions) or nil,
    layouts = layouts_of(outcome, regions, seeds or {}) or nil,
    populated_by = is_touch_loop(outcome) and "touch loop" or nil,
  }
  if outcome.stage ~= "done" then
    found.regions_why = "the sample did not come to reading smaps"
  elseif outcome.smaps_error ~= 0 then
    found.regions_why = "smaps: " .. signals.error_name(outcome.smaps_error)
  else
    local entries <const> = smaps.parse(outcome.smaps)
    found.regions = json.array {}
    for index, region in ipairs(regions) do
      found.regions[index] = of_region(entries, region, outcome.addresses[index])
    end
  end
  return found
end

local function region_of(sample, name)
  for _, region in ipairs(sample.evidence and sample.evidence.regions or {}) do
    if region.region == name then return region end
  end
end

---How much of a region huge pages back in a sample, the kernel's own or the pool's; nil when
---unknown.
---@param sample frlua.Sample
---@param name string
---@return integer?
function evidence.huge_bytes(sample, name)
  local region <const> = region_of(sample, name) or {}
  local pool <const> = region.hugetlb_bytes
  return pool and pool > 0 and pool or region.huge_bytes
end

---How much of a region the page table maps by huge entries in a sample; nil when it was not read.
---@param sample frlua.Sample
---@param name string
---@return integer?
function evidence.table_huge_bytes(sample, name)
  for _, found in ipairs(sample.evidence and sample.evidence.page_tables or {}) do
    if found.region == name then return found.huge_bytes end
  end
end

---The AnonHugePages of a region in a sample; nil when unknown.
---@param sample frlua.Sample
---@param name string
---@return integer?
function evidence.anon_huge_bytes(sample, name)
  local region <const> = region_of(sample, name)
  return region and region.anon_huge_bytes
end

return evidence

--- Evidence: what is read back in a sample about the memory that it worked on.
local json <const> = require "frlua.json"
local signals <const> = require "frlua.signals"
local smaps <const> = require "frlua.smaps"

local evidence <const> = {}

-- What smaps says of one region, in bytes; nil where it has no such field.
local function of_region(entries, region, address)
  local sum <const> = smaps.sum(entries, address, address + region.bytes)
  if not sum then return { region = region.name, why = "no entry in smaps covers it" } end
  return {
    region = region.name,
    bytes = region.bytes,
    resident_bytes = smaps.resident(sum),
    anon_huge_bytes = sum.fields.AnonHugePages,
    kernel_page_bytes = sum.fields.KernelPageSize,
  }
end

---Evidence of one sample, from the smaps text that its worker read in the end.
---@param outcome table of frlua.core.sample
---@param regions table[] of the experiment
---@return table
function evidence.of_sample(outcome, regions)
  local found <const> = { checksum = outcome.checksum }
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

---The AnonHugePages of a region in a sample; nil when unknown.
---@param sample frlua.Sample
---@param name string
---@return integer?
function evidence.anon_huge_bytes(sample, name)
  for _, region in ipairs(sample.evidence and sample.evidence.regions or {}) do
    if region.region == name then return region.anon_huge_bytes end
  end
end

return evidence

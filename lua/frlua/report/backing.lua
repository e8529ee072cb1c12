--- What a report says of the memory behind an experiment: what was resident and huge of each
--- region, as smaps had it in the samples; what the kernel refused; files that were to be cold and
--- were not.
local aligned <const> = require "frlua.report.table"
local units <const> = require "frlua.units"

local backing <const> = {}

-- Regions that are more than reserved private memory of the default policy.
local POLICIES <const> = {
  "advise", "file", "memfd", "shared", "huge", "populate", "lock", "read_only",
}

local function has_policy(regions)
  for _, region in ipairs(regions) do
    for _, key in ipairs(POLICIES) do
      if region[key] then return true end
    end
  end
  return false
end

local function ok_samples(document, arm)
  local list <const> = {}
  for _, sample in ipairs(document.samples) do
    if sample.arm == arm.name and sample.status == "ok" then list[#list + 1] = sample end
  end
  return list
end

-- The evidence of a region in all samples of an arm; empty when the arm does not have it.
local function found_of(samples, name)
  local list <const> = {}
  for _, sample in ipairs(samples) do
    for _, region in ipairs(sample.evidence.regions or {}) do
      if region.region == name and region.resident_bytes then list[#list + 1] = region end
    end
  end
  return list
end

local function range(list, key)
  local low, high
  for _, found in ipairs(list) do
    local value <const> = found[key] or 0
    low, high = math.min(low or value, value), math.max(high or value, value)
  end
  return low, high
end

local function bytes_cell(list, key)
  local low <const>, high <const> = range(list, key)
  if low == high then return units.bytes(low) end
  return units.bytes(low) .. ".." .. units.bytes(high)
end

local function percent_cell(list)
  local low, high
  for _, found in ipairs(list) do
    local percent <const> = 100 * (found.huge_bytes or 0) / found.bytes
    low, high = math.min(low or percent, percent), math.max(high or percent, percent)
  end
  local text <const> = units.fixed(low, 0)
  return (low == high and text or text .. ".." .. units.fixed(high, 0)) .. " %"
end

-- An arm that is not what its region's advice calls it.
local function void(region, arm, list)
  local low <const>, high <const> = range(list, "huge_bytes")
  if region.advise == "hugepage" and low == 0 then
    return ("%s: '%s' was advised 'hugepage', and nothing of it is huge (%s): it has small pages")
      :format(arm.name, region.name, list[1].why or "unknown why")
  elseif region.advise == "nohugepage" and high > 0 then
    return ("%s: '%s' was advised 'nohugepage', and huge pages are in it all the same")
      :format(arm.name, region.name)
  end
end

-- Reads of memory that was never written are answered from one page of zeros, which is not counted
-- as resident; whether this kernel did so is seen from what was resident.
local function zeros(region, arm, list)
  local is_read = false
  for _, phase in ipairs(arm.phases) do
    for _, op in ipairs(phase.ops) do
      if op.region == region.name and op.code ~= "read" then return nil end
      is_read = is_read or op.region == region.name
    end
  end
  local _, high <const> = range(list, "resident_bytes")
  if not is_read or region.fill or region.file then return nil end
  return high == 0
    and ("%s: '%s' was read, and is not resident: the kernel's page of zeros stands in for it")
      :format(arm.name, region.name)
    or ("%s: '%s' was only read, and is resident: this kernel gave it pages of its own")
      :format(arm.name, region.name)
end

-- The name in the script of the swept arm whose layout a region is.
local function group_of(document, region)
  for _, arm in ipairs(document.design.arms) do
    if arm.name == region.name then return arm.group end
  end
end

local function cells(found)
  return { found.name, found.region, bytes_cell(found, "bytes"),
    bytes_cell(found, "resident_bytes"), percent_cell(found), bytes_cell(found, "hugetlb_bytes"),
    bytes_cell(found, "locked_bytes") }
end

local function add_tables(document, lines)
  local rows <const>, remarks <const> = { { "arm", "region", "bytes", "resident", "huge",
    "hugetlb", "locked" } }, {}
  local row_of <const> = {}
  for _, arm in ipairs(document.design.arms) do
    local samples <const> = ok_samples(document, arm)
    for _, region in ipairs(document.design.regions) do
      local list <const> = found_of(samples, region.name)
      if list[1] then
        local is_own <const> = region.layout ~= nil -- of one arm, or of its twin
        local name <const> = arm.group or region.layout and group_of(document, region) or arm.name
        local key <const> = is_own and name or arm.name .. "\0" .. region.name
        if not row_of[key] then
          row_of[key] = { name = name, region = is_own and "its lines" or region.name }
          rows[#rows + 1] = row_of[key]
        end
        table.move(list, 1, #list, #row_of[key] + 1, row_of[key])
        remarks[#remarks + 1] = void(region, arm, list)
        remarks[#remarks + 1] = zeros(region, arm, list)
      end
    end
  end
  for index = 2, #rows do rows[index] = cells(rows[index]) end
  if #rows == 1 then return end
  lines[#lines + 1], lines[#lines + 2] = "", "What backed the regions in the end (smaps)"
  for _, line in ipairs(aligned.lines(rows, "", { keys = 2 })) do lines[#lines + 1] = line end
  for _, remark in ipairs(remarks) do lines[#lines + 1] = remark end
end

-- Texts with the number of samples that each holds for, in the order in which they first came.
local function counted(document, texts_of)
  local order <const>, counts <const> = {}, {}
  for _, sample in ipairs(document.samples) do
    for _, text in ipairs(texts_of(sample, sample.evidence or {})) do
      if not counts[text] then order[#order + 1] = text end
      counts[text] = (counts[text] or 0) + 1
    end
  end
  local lines <const> = {}
  for index, text in ipairs(order) do
    lines[index] = ("  %s (%d of %d samples)"):format(text, counts[text], #document.samples)
  end
  return lines
end

local function refused(sample, evidence)
  local texts <const> = {}
  for index, refusal in ipairs(evidence.refused or {}) do
    local what <const> = refusal.op == "map" and "not locked" or refusal.op
    texts[index] = ("%s: %s of '%s'%s: %s%s"):format(sample.arm, what, refusal.region,
      refusal.phase and " in " .. refusal.phase or "", refusal.error,
      refusal.means and ", " .. refusal.means or "")
  end
  return texts
end

local function not_cold(sample, evidence)
  local texts <const> = {}
  for _, eviction in ipairs(evidence.evicted or {}) do
    texts[#texts + 1] = not eviction.is_cold
      and ("%s: '%s' is warm, resident after eviction: %d of %d pages"):format(sample.arm,
        eviction.region, eviction.resident_pages, eviction.pages) or nil
  end
  return texts
end

local function by_touch_loop(sample, evidence)
  return { evidence.populated_by and ("%s: populated by a %s, one access a page"):format(sample.arm,
    evidence.populated_by) }
end

local function unknown(sample, evidence)
  local is_unknown <const> = sample.status == "ok" and not evidence.regions
  return { is_unknown and ("%s: unknown, %s"):format(sample.arm, evidence.regions_why) or nil }
end

local SECTIONS <const> = {
  { "What backed the regions", unknown },
  { "Refused by the kernel", refused },
  { "Files that were to be dropped from memory, and were not", not_cold },
  { "This kernel has no call that populates (MADV_POPULATE_WRITE)", by_touch_loop },
}

---@param document table a result document
---@return string[] lines empty when there is nothing to say
function backing.report(document)
  local lines <const> = {}
  if has_policy(document.design.regions) then add_tables(document, lines) end
  for _, section in ipairs(SECTIONS) do
    local found <const> = counted(document, section[2])
    if found[1] then
      lines[#lines + 1], lines[#lines + 2] = "", section[1]
      table.move(found, 1, #found, #lines + 1, lines)
    end
  end
  return lines
end

return backing

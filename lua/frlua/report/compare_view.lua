--- What a comparison shows, as sections that every form lays out its own way: a head, lines, and a
--- table whose first row are its heads.
local notes <const> = require "frlua.report.notes"
local scales <const> = require "frlua.report.scales"
local units <const> = require "frlua.units"

local view <const> = {}

---@class frlua.Section
---@field head string?
---@field lines string[]?
---@field rows string[][]?

local number <const> = units.significant

local function unknown(value) return value.value or "unknown (" .. value.value_why .. ")" end

local function files(document)
  local lines <const> = {}
  for index, file in ipairs(document.files) do
    for _, run in ipairs(file.runs) do
      lines[#lines + 1] = ("%s  %s: %s, %s of %s%s"):format(file.file, file.path, run.experiment,
        units.plural(run.rounds, "round"), run.started_at, index == 1 and " (the base)" or "")
      lines[#lines + 1] = "   " .. run.machine
    end
  end
  return { lines = lines }
end

local function forced(document)
  local lines <const> = { "FORCED: these results do not belong together, and no figure below means"
    .. " what it says" }
  for _, objection in ipairs(document.forced) do
    lines[#lines + 1] = ("  %s %s"):format(objection.file, objection.objection)
  end
  return document.forced[1] and { lines = lines } or nil
end

local function differences(document)
  local lines <const> = {}
  for index, difference in ipairs(document.differences) do
    local values <const> = {}
    for place, value in ipairs(difference.values) do
      values[place] = value.file .. " " .. unknown(value)
    end
    lines[index] = ("  %s: %s"):format(difference.what, table.concat(values, "; "))
  end
  if not lines[1] then
    return { lines = { "Nothing differs between machines, builds, settings." } }
  end
  return { head = "What differs between machines, builds, settings", lines = lines }
end

local function remarks(document)
  local lines <const> = {}
  for index, note in ipairs(document.notes) do lines[index] = note.file .. ": " .. note.note end
  return lines[1] and { lines = lines } or nil
end

local function unmatched(document)
  local lines <const> = {}
  for index, missing in ipairs(document.unmatched) do
    lines[index] = ("  %s: %s '%s'%s: %s"):format(missing.file, missing.kind, missing.name,
      missing.arm and (" of '%s'"):format(missing.arm) or "", missing.why)
  end
  return lines[1] and { head = "Unmatched, and in no figure", lines = lines } or nil
end

-- Rows of one experiment and metric, with those of an arm together, in their order.
local function blocks(document)
  local list <const> = {}
  for _, row in ipairs(document.rows) do
    local block = list[#list]
    if not block or block.metric ~= row.metric or block.experiment ~= row.experiment then
      block = { metric = row.metric, experiment = row.experiment, unit = row.unit, per = row.per,
        arms = {} }
      list[#list + 1] = block
    end
    local arm = block.arms[#block.arms]
    if not arm or arm.name ~= row.arm then
      arm = { name = row.arm, base = row.base, by_file = {} }
      block.arms[#block.arms + 1] = arm
    end
    arm.by_file[row.file] = row
  end
  return list
end

-- One unit for all of a block: medians are there to be compared.
local function scale_of(block)
  local medians <const> = {}
  for _, arm in ipairs(block.arms) do
    medians[#medians + 1] = arm.base.median
    for _, row in pairs(arm.by_file) do medians[#medians + 1] = row.other.median end
  end
  return scales.of({ per = block.per }, scales.shared(medians))
end

local function value_cell(side, block, scale)
  if block.unit ~= "ns" then return notes.counts(side) end
  return units.scaled(side.median, scale)
end

local function interval_cell(row)
  return row.ci95 and ("[%s, %s]"):format(number(row.ci95[1]), number(row.ci95[2])) or "-"
end

local function verdict_cell(row)
  if row.verdict == "withdrawn" then return "withdrawn: " .. row.reason end
  return row.reason and row.verdict .. ": " .. row.reason or row.verdict
end

-- Of two files: a column for each figure.
local function two_columns(block, file, scale)
  local is_time <const> = block.unit == "ns"
  local rows <const> = { is_time and { "arm", "A", file, file .. " / A", "95 % interval", "p", "" }
    or { "arm", "A", file, "" } }
  for _, arm in ipairs(block.arms) do
    local row <const> = arm.by_file[file]
    local cells <const> = { arm.name, value_cell(arm.base, block, scale),
      value_cell(row.other, block, scale) }
    if is_time then
      table.move({ row.ratio and number(row.ratio) or "-", interval_cell(row),
        row.p_holm and number(row.p_holm) or "-" }, 1, 3, 4, cells)
    end
    cells[#cells + 1] = verdict_cell(row)
    rows[#rows + 1] = cells
  end
  return rows
end

local function file_cell(row, block, scale)
  if not row then return "unmatched" end
  if block.unit ~= "ns" then
    return ("%s %s"):format(value_cell(row.other, block, scale), row.verdict)
  end
  if not row.ratio or row.verdict == "withdrawn" then
    return value_cell(row.other, block, scale) .. " withdrawn"
  end
  return ("%s %s%s"):format(number(row.ratio), interval_cell(row),
    row.verdict == "not told apart" and "" or " " .. row.verdict)
end

-- Of more files: a column for each, which is a machine, a kernel or a day.
local function file_columns(block, labels, scale)
  local heads <const> = { "arm", "A" }
  for index = 2, #labels do
    heads[index + 1] = block.unit == "ns" and labels[index] .. " / A" or labels[index]
  end
  local rows <const> = { heads }
  for _, arm in ipairs(block.arms) do
    local cells <const> = { arm.name, value_cell(arm.base, block, scale) }
    for index = 2, #labels do
      cells[index + 1] = file_cell(arm.by_file[labels[index]], block, scale)
    end
    rows[#rows + 1] = cells
  end
  return rows
end

local function figures(document, sections)
  local labels <const> = {}
  for index, file in ipairs(document.files) do labels[index] = file.file end
  local several <const> = document.files[1].runs[2] ~= nil
  for _, block in ipairs(blocks(document)) do
    local scale <const> = scale_of(block)
    local unit <const> = block.unit == "ns" and scale.name or block.unit
    sections[#sections + 1] = {
      head = (several and block.experiment .. ": " or "")
        .. (block.metric == unit and unit or ("%s, %s"):format(block.metric, unit)),
      rows = #labels == 2 and two_columns(block, labels[2], scale)
        or file_columns(block, labels, scale),
    }
  end
end

local function methods(document)
  local is_normal, lines = false, {}
  for _, row in ipairs(document.rows) do is_normal = is_normal or row.method == "normal" end
  if document.tests > 0 then
    lines = {
      "A, B, …: medians over the processes, one value each. B / A: the median of all ratios of a",
      "process of B to one of A, with its interval. p: Mann-Whitney, after Holm over the "
        .. units.plural(document.tests, "row") .. (is_normal and "; approximated" or "; exact"),
      "Two runs also differ by what all processes of one share, such as the day: repeat them.",
    }
  end
  return lines[1] and { lines = lines } or nil
end

local WORDS <const> = { pass = "PASS", fail = "FAIL", withdrawn = "WITHDRAWN" }

local function verdicts(document)
  local lines <const> = {}
  for _, judged in ipairs(document.conditions) do
    lines[#lines + 1] = ("  %-9s  %s"):format(WORDS[judged.verdict], judged.name)
    lines[#lines + 1] = (" "):rep(13) .. judged.reason
  end
  return lines[1] and { head = "Verdicts", lines = lines } or nil
end

---@param document table of comparison.take
---@return frlua.Section[]
function view.sections(document)
  local sections <const> = {}
  local function add(section) sections[#sections + 1] = section end
  add(forced(document))
  add(files(document))
  add(differences(document))
  add(remarks(document))
  add(unmatched(document))
  figures(document, sections)
  add(methods(document))
  add(verdicts(document))
  return sections
end

return view

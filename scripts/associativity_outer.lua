-- What associativity.lua --outer runs: 1 to 64 lines at strides from a line to 1 MiB, on small
-- pages and on huge ones, each beside the control at the stride and a line.
--
-- Strides up to a page tell of the first level: its index bits lie inside the page. Above that,
-- lines of one stride are in one set of the first level as well, and what is behind it shows only
-- in what they cost more than at the stride of one way of the first level. Which sets of the outer
-- levels they are in nobody chose: small pages lie wherever the kernel had one, a guest's huge
-- pages wherever its host had some, and outer caches may hash their index. That no step is found
-- says nothing of their ways.
--
-- One process walks all strides of one number of lines.
local fr          <const> = require "frlua"
local aligned     <const> = require "frlua.report.table"
local analysis    <const> = require "frlua.analysis"
local columns     <const> = require "frlua.report.columns"
local contrast    <const> = require "frlua.contrast"
local geometry    <const> = require "frlua.geometry"
local onset_range <const> = require "frlua.onset_range"
local text        <const> = require "frlua.report.text"

local units <const>, machine <const> = fr.units, fr.machine
local LOADS <const>, WIDEST <const> = 1 << 14, 1 * fr.MiB
local COUNTS <const> = { 1, 2, 4, 8, 16, 32, 64 }
local PAGES <const> = { "small", "huge" }
local NO_STEP <const> = "no step found"
local places <const> = fr.geometry { line = 64, sets = 64 } -- where the machine does not tell
local line <const> = places.line_bytes
local way_bytes <const> = places.sets * line

local strides <const> = {}
do
  local stride = line
  while stride <= WIDEST do
    strides[#strides + 1], stride = stride, stride * 2
  end
end

local function name_of(pages, lines) return ("%s, %d lines"):format(pages, lines) end
local function conflict(stride) return ("stride_%d"):format(stride) end
local function control(stride) return ("control_%d"):format(stride) end

-- The first walk brings the lines in; it is not the one that counts.
local function add_walk(phases, name, region, lines, stride)
  phases[#phases + 1] = fr.phase("link " .. name) {
    timed = false, fr.link { region, bytes = lines * stride, slot = stride },
  }
  phases[#phases + 1] = fr.phase(name) {
    fr.chase { region, loads = LOADS }, iterations = 4,
  }
end

local function arm_of(pages, lines)
  local phases <const>, name <const> = {}, name_of(pages, lines)
  for _, stride in ipairs(strides) do
    add_walk(phases, conflict(stride), name, lines, stride)
    add_walk(phases, control(stride), name, lines, stride + line)
  end
  return fr.arm(name)(phases)
end

local function region_of(pages, lines)
  local unit <const> = pages == "huge" and machine.huge_page_bytes or machine.page_bytes
  local bytes <const> = lines * (WIDEST + line)
  return fr.region(name_of(pages, lines)) {
    bytes = (bytes + unit - 1) // unit * unit,
    align = math.max(machine.huge_page_bytes or 0, machine.page_bytes, way_bytes),
    advise = pages == "huge" and "hugepage" or "nohugepage",
    fill = pages == "huge" and "index" or nil,
  }
end

local regions <const>, arms <const>, metrics <const> = {}, {}, {}
for _, pages in ipairs(PAGES) do
  for _, lines in ipairs(COUNTS) do
    arms[#arms + 1], regions[#regions + 1] = arm_of(pages, lines), region_of(pages, lines)
  end
end
for _, stride in ipairs(strides) do
  for _, name in ipairs { conflict(stride), control(stride) } do
    metrics[#metrics + 1] = fr.metric(name) { phase = name, median_from = 2, per = "load" }
  end
end

-- How many times its control a stride costs, by round; nil where a round lacks either.
local function ratios_of(values, arm_name, stride)
  local of_arm <const>, ratios <const> = values[arm_name] or {}, {}
  for round, ns in pairs(of_arm[conflict(stride)] or {}) do
    local base <const> = of_arm[control(stride)][round]
    if base and base > 0 and ns > 0 then ratios[round] = ns / base end
  end
  return ratios
end

-- Of a stride above the page: what is left of that when a way of the first level has its share.
local function beyond_first(values, arm_name, stride, rounds)
  return contrast.take(ratios_of(values, arm_name, stride),
    ratios_of(values, arm_name, way_bytes), rounds)
end

local function against_control(values, arm_name, stride, rounds)
  return contrast.take(values[arm_name] and values[arm_name][conflict(stride)] or {},
    values[arm_name] and values[arm_name][control(stride)] or {}, rounds)
end

-- One line is the same work at every stride and at its control: what these differ by is noise. The
-- largest of all strides.
local function floor_of(document, values, pages)
  local floor = 1.05
  for _, stride in ipairs(strides) do
    local found <const> =
      against_control(values, name_of(pages, 1), stride, document.design.rounds)
    floor = math.max(floor, found and found.ci95 and contrast.far_end(found.ci95) or 1)
  end
  return floor
end

local function is_inside(stride) return stride <= math.max(machine.page_bytes, way_bytes) end

-- The onset over the numbers of lines, in a cell: "8..16", "none", "undecided".
local function onset_cell(document, values, pages, stride)
  local ratio_of <const> = is_inside(stride) and against_control or beyond_first
  local rows <const> = {}
  for _, lines in ipairs(COUNTS) do
    local found <const> =
      ratio_of(values, name_of(pages, lines), stride, document.design.rounds)
    if not found or not found.median then return "unknown" end
    rows[#rows + 1] =
      { at = lines, ratio = found.median, ci95 = found.ci95, ci95_why = found.why }
  end
  local step <const> = fr.find_step(rows, { floor = floor_of(document, values, pages) })
  local onset <const> = onset_range.of(step.rows)
  return onset and ("%d..%d"):format(onset.below, onset.above)
    or step.kind == "none" and NO_STEP or "undecided"
end

-- One table: strides on one side of the page, on one kind of pages.
local function add_table(document, values, pages, inside, lines)
  local rows <const> = { { "stride" } }
  for index, count in ipairs(COUNTS) do
    rows[1][index + 1] = units.plural(count, "line")
  end
  table.insert(rows[1], inside and "onset" or "onset beyond the first level")
  for _, stride in ipairs(strides) do
    if is_inside(stride) == inside then
      local row <const> = { units.bytes(stride) }
      for _, count in ipairs(COUNTS) do
        local found <const> = against_control(values, name_of(pages, count), stride,
          document.design.rounds)
        row[#row + 1] = found and found.median and units.fixed(found.median, 2) .. "x" or "-"
      end
      row[#row + 1] = onset_cell(document, values, pages, stride)
      rows[#rows + 1] = row
    end
  end
  for _, shown in ipairs(aligned.lines(rows)) do lines[#lines + 1] = shown end
end

-- What the pages of all arms of a kind were, as they were read back.
local function pages_of(document, pages)
  local found
  for _, lines in ipairs(COUNTS) do
    local kind <const> = columns.pages(document, name_of(pages, lines), name_of(pages, lines))
    found = (not found or found == kind) and kind or "mixed"
  end
  return found
end

local READ_BACK <const> = {
  huge = "huge pages", small = "small pages", mixed = "pages of both kinds",
  unknown = "pages of unknown size",
}

local function title(document, pages)
  local advice <const> = pages == "huge" and "hugepage" or "nohugepage"
  local kind <const> = pages_of(document, pages)
  local placement = "above the page physical placement is not controlled"
  if kind == "huge" then
    placement = document.machine.hypervisor
      and "placed as laid out in what this guest takes for physical memory; its host may differ"
      or "placed as laid out, up to the size of a huge page"
  end
  return ("On memory advised '%s', %s by what was read back: %s"):format(advice, READ_BACK[kind],
    placement)
end

local function tables(document)
  local values <const> = analysis.values(document.design, document.samples)
  local lines <const> = { "", ("Times the control, at the stride and a line, in the same process:"
    .. " medians of %d fresh ones"):format(document.design.rounds) }
  for _, inside in ipairs { true, false } do
    lines[#lines + 1] = ""
    lines[#lines + 1] = inside
      and "FIRST LEVEL: strides up to a page or a way; the index of a set lies inside them"
      or "OUTER LEVELS: strides above the page; a hash may choose the set (first level in it, too)"
    for _, pages in ipairs(PAGES) do
      lines[#lines + 1] = title(document, pages)
      add_table(document, values, pages, inside, lines)
    end
  end
  for _, pages in ipairs(PAGES) do
    lines[#lines + 1] = ("noise, of one line beside itself (%s): a factor of %s is taken")
      :format(pages, units.significant(floor_of(document, values, pages)))
  end
  lines[#lines + 1] = geometry.text(places)
  return lines
end

-- Where steps were found on one side of the page: "8..16 lines at 4 KiB (small)", …
local function steps_text(document, inside)
  local values <const> = analysis.values(document.design, document.samples)
  local found <const>, undecided = {}, 0
  for _, pages in ipairs(PAGES) do
    for _, stride in ipairs(strides) do
      local cell <const> = is_inside(stride) == inside
        and onset_cell(document, values, pages, stride)
      if cell and cell:find("..", 1, true) then
        found[#found + 1] = ("%s lines at %s (%s)"):format(cell, units.bytes(stride), pages)
      elseif cell and cell ~= NO_STEP then
        undecided = undecided + 1
      end
    end
  end
  local text_of_steps <const> = found[1] and "conflicts begin at " .. table.concat(found, ", ")
    or NO_STEP
  return undecided == 0 and text_of_steps or ("%s, while %s undecided"):format(
    found[1] and text_of_steps or "no step is certain",
    undecided == 1 and "1 stride is" or ("%d strides are"):format(undecided))
end

local function reading(document)
  return {
    ("Reading: in the first level %s; beyond it %s."):format(steps_text(document, true),
      steps_text(document, false)),
    "Without huge pages physical placement is not controlled, and outer caches may hash their"
      .. " index: neither a step nor its absence counts the ways of an outer cache.",
  }
end

return fr.experiment "associativity_outer" {
  doc     = "which strides make few lines conflict, in the first level and behind it",
  regions = regions,
  arms    = arms,
  rounds  = 20,
  metrics = metrics,
  report  = function(document) return text.report(document, tables) end,
  reading = reading,
}

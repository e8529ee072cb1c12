--- --junit: the verdicts as JUnit XML, a suite for each experiment. There is no standard of it:
--- elements and attributes are those that Jenkins' schema has (junit-10.xsd of its xUnit plugin),
--- and that other readers know, too. Claims take no time of their own, and have none.
local escape <const> = require "frlua.report.escape"
local points <const> = require "frlua.report.points"

local junit <const> = {}

local xml <const> = escape.xml

-- Seconds, with all digits of the nanoseconds.
local function seconds(ns)
  return ("%d.%09d"):format(ns // 1000000000, ns % 1000000000)
end

-- The element, and its type, of a case that did not go well.
local OUTCOMES <const> = {
  fail = { "failure", "claim failed" },
  lost = { "error", "samples lost" },
}

local function details(point)
  local lines <const> = { point.reason }
  if point.instead_of then
    table.insert(lines, 1, "asked instead of: " .. point.instead_of)
  end
  table.move(points.contrasts(point), 1, #points.contrasts(point), #lines + 1, lines)
  for index, line in ipairs(lines) do lines[index] = xml(line) end
  return table.concat(lines, "\n")
end

local function outcome_element(point)
  local outcome <const> = OUTCOMES[point.verdict]
  if outcome then
    return ('      <%s message="%s" type="%s">%s</%s>'):format(outcome[1], xml(point.reason),
      outcome[2], details(point), outcome[1])
  elseif point.verdict == "withdrawn" then
    return ('      <skipped message="%s"/>'):format(xml("withdrawn: " .. point.reason))
  end
  return ("      <system-out>%s</system-out>"):format(details(point))
end

local function case_lines(document, point)
  return {
    ('    <testcase classname="%s" name="%s">'):format(xml(document.experiment), xml(point.name)),
    outcome_element(point),
    "    </testcase>",
  }
end

-- What makes a run comparable with another one.
local function properties(document)
  local machine <const>, lines <const> = document.machine, {}
  for _, property in ipairs {
    { "script", document.script }, { "seed", escape.number(document.seed) },
    { "frlua", document.frlua.version }, { "kernel", machine.kernel },
    { "cpu_model", machine.cpu_model }, { "hypervisor", machine.hypervisor },
  } do
    if property[2] then
      lines[#lines + 1] = ('      <property name="%s" value="%s"/>'):format(property[1],
        xml(property[2]))
    end
  end
  return lines
end

local function counts_text(list)
  return ('tests="%d" failures="%d" errors="%d"'):format(#list, points.count(list, "fail"),
    points.count(list, "lost"))
end

local function add(lines, more)
  table.move(more, 1, #more, #lines + 1, lines)
end

local function suite_lines(suite)
  local document <const>, list <const> = suite.document, suite.points
  local lines <const> = {
    ('  <testsuite name="%s" %s skipped="%d" time="%s" timestamp="%s">'):format(
      xml(document.experiment), counts_text(list), points.count(list, "withdrawn"),
      seconds(document.wall_ns), xml((document.started_at:gsub("Z$", "")))),
    "    <properties>",
  }
  add(lines, properties(document))
  lines[#lines + 1] = "    </properties>"
  for _, point in ipairs(list) do add(lines, case_lines(document, point)) end
  lines[#lines + 1] = "  </testsuite>"
  return lines
end

---@param documents table[]
---@return string
function junit.render(documents)
  local suites <const>, all <const>, wall_ns = points.suites(documents), {}, 0
  for _, suite in ipairs(suites) do
    add(all, suite.points)
    wall_ns = wall_ns + suite.document.wall_ns
  end
  local study <const> = documents[1].study
  local lines <const> = {
    '<?xml version="1.0" encoding="UTF-8"?>',
    ('<testsuites name="%s" %s time="%s">'):format(
      xml(study and study.name or documents[1].script), counts_text(all), seconds(wall_ns)),
  }
  for _, suite in ipairs(suites) do add(lines, suite_lines(suite)) end
  lines[#lines + 1] = "</testsuites>"
  return table.concat(lines, "\n") .. "\n"
end

return junit

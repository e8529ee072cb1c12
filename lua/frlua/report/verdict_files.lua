--- Verdicts of a comparison as programs read them: the Test Anything Protocol, and the XML that
--- JUnit made common. Both are made from a list of { name, verdict, reason }.
local escape <const> = require "frlua.report.escape"
local tap <const> = require "frlua.report.tap"

local verdict_files <const> = {}

---@param list { name: string, verdict: "pass"|"fail"|"withdrawn", reason: string }[]
---@return string
function verdict_files.tap(list)
  local lines <const> = { tap.VERSION, ("1..%d"):format(#list) }
  for index, item in ipairs(list) do
    local withdrawn <const> = item.verdict == "withdrawn"
    lines[#lines + 1] = ("%s %d - %s%s"):format(item.verdict == "fail" and "not ok" or "ok", index,
      escape.tap(item.name), withdrawn and " # SKIP withdrawn: " .. escape.tap(item.reason) or "")
    if not withdrawn then lines[#lines + 1] = "# " .. escape.shown(item.reason) end
  end
  return table.concat(lines, "\n") .. "\n"
end

---@param list { name: string, verdict: "pass"|"fail"|"withdrawn", reason: string }[]
---@param suite string what the verdicts are about
---@return string
function verdict_files.junit(list, suite)
  local counts <const>, cases <const> = { pass = 0, fail = 0, withdrawn = 0 }, {}
  for index, item in ipairs(list) do
    counts[item.verdict] = counts[item.verdict] + 1
    local reason <const> = escape.xml(item.reason)
    local outcome <const> = item.verdict == "fail" and ('<failure message="%s"/>'):format(reason)
      or item.verdict == "withdrawn" and ('<skipped message="withdrawn: %s"/>'):format(reason)
      or ("<system-out>%s</system-out>"):format(reason)
    cases[index] = ('  <testcase classname="%s" name="%s">%s</testcase>\n')
      :format(escape.xml(suite), escape.xml(item.name), outcome)
  end
  return ('<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<testsuite name="%s" tests="%d" failures="%d" errors="0" skipped="%d">\n%s</testsuite>\n')
    :format(escape.xml(suite), #list, counts.fail, counts.withdrawn, table.concat(cases))
end

return verdict_files

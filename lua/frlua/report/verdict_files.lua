--- Verdicts as programs read them: the Test Anything Protocol (version 14), and the XML that JUnit
--- made common. Both are made from a list of { name, verdict, reason }.
local aligned <const> = require "frlua.report.table"

local verdict_files <const> = {}

-- In one line, with nothing that either form would read as its own.
local function plain(text) return aligned.printable(text) end

local function tap_text(text)
  return (plain(text):gsub("\\", "\\\\"):gsub("#", "\\#"))
end

---@param list { name: string, verdict: "pass"|"fail"|"withdrawn", reason: string }[]
---@return string
function verdict_files.tap(list)
  local lines <const> = { "TAP version 14", ("1..%d"):format(#list) }
  for index, item in ipairs(list) do
    local withdrawn <const> = item.verdict == "withdrawn"
    lines[#lines + 1] = ("%s %d - %s%s"):format(item.verdict == "fail" and "not ok" or "ok", index,
      tap_text(item.name), withdrawn and " # SKIP withdrawn: " .. tap_text(item.reason) or "")
    if not withdrawn then lines[#lines + 1] = "# " .. plain(item.reason) end
  end
  return table.concat(lines, "\n") .. "\n"
end

local ENTITIES <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;",
  ["'"] = "&#39;" }

-- XML has no U+FFFE and U+FFFF, not even as references.
local function xml_text(text)
  return (plain(text):gsub("\xEF\xBF[\xBE\xBF]", "\u{FFFD}"):gsub("[&<>\"']", ENTITIES))
end

---@param list { name: string, verdict: "pass"|"fail"|"withdrawn", reason: string }[]
---@param suite string what the verdicts are about
---@return string
function verdict_files.junit(list, suite)
  local counts <const>, cases <const> = { pass = 0, fail = 0, withdrawn = 0 }, {}
  for index, item in ipairs(list) do
    counts[item.verdict] = counts[item.verdict] + 1
    local reason <const> = xml_text(item.reason)
    local outcome <const> = item.verdict == "fail" and ('<failure message="%s"/>'):format(reason)
      or item.verdict == "withdrawn" and ('<skipped message="withdrawn: %s"/>'):format(reason)
      or ("<system-out>%s</system-out>"):format(reason)
    cases[index] = ('  <testcase classname="%s" name="%s">%s</testcase>\n'):format(xml_text(suite),
      xml_text(item.name), outcome)
  end
  return ('<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<testsuite name="%s" tests="%d" failures="%d" errors="0" skipped="%d">\n%s</testsuite>\n')
    :format(xml_text(suite), #list, counts.fail, counts.withdrawn, table.concat(cases))
end

return verdict_files

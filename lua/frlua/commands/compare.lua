--- `frlua compare A B …`: the same experiment on other days, kernels or machines.
local argparse <const> = require "argparse"
local comparison <const> = require "frlua.compare.comparison"
local conditions <const> = require "frlua.compare.conditions"
local files <const> = require "frlua.files"
local read_result <const> = require "frlua.read_result"
local sources <const> = require "frlua.compare.sources"

local compare <const> = {}

local UNREADABLE <const>, USAGE <const>, OUTPUT <const>, FAILED <const> = 1, 2, 4, 5

local function verdicts_of(document)
  return document.conditions[1] and document.conditions or conditions.of_rows(document)
end

-- The forms that have a file each, by the names of their options; each makes a text.
local FORMS <const> = {
  { "json", "write the comparison to F", comparison.encode },
  { "csv", "write a row for each arm and metric to F", function(document)
    return require "frlua.report.compare_csv".render(document)
  end },
  { "md", "write tables to F, in Markdown", function(document)
    return require "frlua.report.compare_text".markdown(document)
  end },
  { "html", "write one page to F that needs nothing else", function(document)
    return require "frlua.report.compare_html".render(document)
  end },
  { "tap", "write the verdicts to F, in the Test Anything Protocol", function(document)
    return require "frlua.report.verdict_files".tap(verdicts_of(document))
  end },
  { "junit", "write the verdicts to F, as JUnit XML", function(document)
    return require "frlua.report.verdict_files".junit(verdicts_of(document), "frlua compare")
  end },
}

local EPILOG <const> = [[
Exit status: 0 all well, 1 a file can't be read, 2 wrong usage or a comparison that makes no sense,
4 output could not be written, 5 a condition of --fail-if came true (with --strict also: could not
be decided).]]

local function parser()
  local made <const> = argparse("frlua compare",
    "Compares results of the same experiment with the first of them, and names what else differs.",
    EPILOG)
  made:argument("files", "result files, the base first; one alone is compared with the last run,"
    .. " - is standard input"):args "+"
  made:option("--fail-if", "fail if a metric, or one of an arm, changes by more: 'steady > 5%',"
    .. " 'steady of natural > 5%'; repeatable"):argname("CONDITION"):count "*"
  made:flag("--strict", "fail also if such a condition can't be decided")
  made:flag("--force", "compare what does not belong together, and mark it")
  for _, form in ipairs(FORMS) do
    made:option("--" .. form[1], form[2] .. "; - is standard output"):argname("F"):count "0-1"
  end
  return made
end

local function complain(status, message)
  io.stderr:write("frlua: ", require "frlua.report.table".printable(message), "\n")
  return status
end

local function refuse_usage(message)
  complain(USAGE, message)
  io.stderr:write "       frlua compare --help lists the options\n"
  return USAGE
end

-- Where two forms, or a form and a file that is compared, would take each other's place.
local function conflict(parsed)
  local taken <const>, inputs = {}, {}
  for _, path in ipairs(parsed.files) do
    if path == "-" and inputs[path] then return "standard input can be read only once" end
    inputs[path] = true
  end
  for _, form in ipairs(FORMS) do
    local path <const>, name <const> = parsed[form[1]], "--" .. form[1]
    if path and taken[path] then
      return ("%s and %s would both write to %s"):format(taken[path], name,
        path == "-" and "standard output" or "'" .. path .. "'")
    elseif path and path ~= "-" and inputs[path] then
      return ("%s '%s' would replace a result that is compared"):format(name, path)
    end
    taken[path or ""] = name
  end
end

local function parse_conditions(texts)
  local list <const> = {}
  for index, text in ipairs(texts) do
    local message
    list[index], message = conditions.parse(text)
    if not list[index] then return nil, message end
  end
  return list
end

local function refuse(objections)
  for _, objection in ipairs(objections) do
    complain(USAGE, ("%s '%s' %s"):format(objection.file, objection.path, objection.objection))
  end
  complain(USAGE, "refused: such a comparison makes no sense; --force shows it, marked")
  return USAGE
end

-- All texts are made before the first is written: what breaks a form leaves every file as it was.
local function show(document, parsed)
  local texts <const>, printed, all = {}, nil, true
  for _, form in ipairs(FORMS) do
    local path <const> = parsed[form[1]]
    if path then texts[#texts + 1] = { path = path, text = form[3](document) } end
    if path == "-" then printed = texts[#texts].text end
  end
  io.stdout:write(printed or require "frlua.report.compare_text".report(document))
  for _, item in ipairs(texts) do
    if item.path ~= "-" then
      local written <const>, message <const> = files.write(item.path, item.text)
      if not written then complain(OUTPUT, message) end
      all = all and written
    end
  end
  return all
end

local function failed(document, is_strict)
  for _, judged in ipairs(document.conditions) do
    if judged.verdict == "fail" or is_strict and judged.verdict == "withdrawn" then return true end
  end
  return false
end

local function compare_files(parsed, wanted)
  local list <const>, message <const> = sources.read(parsed.files)
  if not list then return complain(UNREADABLE, message) end
  local document <const>, objections <const> = comparison.take(list, parsed.force)
  if not document then return refuse(objections) end
  local found <const>, unknown <const> = conditions.resolve(wanted, document)
  if not found then return refuse_usage(unknown) end
  document.conditions = conditions.judge(wanted, document)
  if not show(document, parsed) then return OUTPUT end
  return failed(document, parsed.strict) and FAILED or 0
end

---@param arguments string[]
---@return integer status
function compare.run(arguments)
  local well <const>, parsed <const> = parser():pparse(arguments)
  if not well then return refuse_usage(parsed) end
  local objection <const> = conflict(parsed)
  if objection then return refuse_usage(objection) end
  local wanted <const>, wrong <const> = parse_conditions(parsed.fail_if or {})
  if not wanted then return refuse_usage(wrong) end
  if not parsed.files[2] then
    local last <const>, message <const> = read_result.default_path()
    if not last then return complain(UNREADABLE, message) end
    parsed.files[2] = last
  end
  return compare_files(parsed, wanted)
end

return compare

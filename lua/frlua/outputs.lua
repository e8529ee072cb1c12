--- Where results go: the file of the last run, standard output, files that the command line names.
--- One result is the source of every form.
local outputs <const> = {}

-- The forms that have a file each, by the names of their options. Those other than json are made by
-- a module in frlua.report: by its `render(documents, parsed, json_text)`, which returns the text,
-- or, where that may be larger than memory, by `pieces(documents, parsed)`, which returns a
-- function that gives it piece by piece, then nil. Where `render` returns true behind the text, the
-- result as JSON is written beside the file, under its name with ".json" behind it.
local FORMS <const> = {
  { option = "json" },
  { option = "csv", module = "csv" },
  { option = "csv_iterations", module = "csv_iterations" },
  { option = "md", module = "markdown" },
  { option = "html", module = "html" },
  { option = "tap", module = "tap" },
  { option = "junit", module = "junit" },
}

---A line for the user, on standard error.
function outputs.note(...)
  io.stderr:write("frlua: ", string.format(...), "\n")
end

-- What the command line wants beside the report.
local function extras_of(parsed)
  local extras <const> = {}
  if parsed.plot then extras[1] = require "frlua.report.plot".lines end
  if parsed.detail then extras[#extras + 1] = require "frlua.report.detail".lines end
  return extras
end

---Prints the report of one experiment.
---@param document table
---@param experiment frlua.Experiment
---@param parsed table of options.parsed
function outputs.report(document, experiment, parsed)
  local make <const> = experiment.report or require "frlua.report.text".report
  require "frlua.report.terminal".show(function()
    local text <const> = make(document)
    local left <const> = require "frlua.report.screen".take_extras(document)
    left[#left + 1] = left[1] and ""
    return text .. table.concat(left, "\n") -- a report of the script's own has no place for them
  end, parsed.color, extras_of(parsed))
end

---Prints the report of a study.
---@param documents table[] of its experiments
---@param parsed table
function outputs.study(documents, parsed)
  require "frlua.report.terminal".show(function()
    return require "frlua.report.study".report(documents)
      .. (parsed.plot and "Nothing to draw: a study's experiments are steps on its way\n" or "")
  end, parsed.color)
end

-- Every run is kept as the last one. Where it can't be, the measurement is still worth its report.
local function keep(texts)
  local files <const> = require "frlua.files"
  local path <const>, message = files.state_path "last.json"
  local written
  if path then written, message = files.make_directories(path:match "^(.*)/") end
  if written then written, message = files.write(path, texts) end
  if not written then outputs.note("the result is not kept as the last run: %s", message) end
end

-- A single document, or a list of them for a list of experiments.
local function encode_all(documents)
  local result <const> = require "frlua.result"
  local texts <const> = {}
  for index, document in ipairs(documents) do texts[index] = result.encode(document) end
  return #texts == 1 and texts[1] or "[" .. table.concat(texts, ",") .. "]\n"
end

-- The form that standard output has; nil for the report.
local function of_standard_output(parsed)
  for _, form in ipairs(FORMS) do
    if parsed[form.option] == "-" then return form.option end
  end
  return parsed.summary and "summary" or nil
end

---Why the forms that a command line asks for can't be had together; nil where they can.
---@param parsed table of options.parsed
---@return string?
function outputs.conflict(parsed)
  local first = parsed.summary and "--summary"
  for _, form in ipairs(FORMS) do
    if parsed[form.option] == "-" then
      local name <const> = "--" .. form.option:gsub("_", "-") .. " -"
      if first then return ("%s and %s would both write to standard output"):format(first, name) end
      first = name
    end
  end
end

---Whether every file that the command line names can be written, as far as that shows beforehand: a
---long run whose result has no place is in vain.
---@param parsed table
---@return boolean
function outputs.have_places(parsed)
  local all = true
  for _, form in ipairs(FORMS) do
    local path <const> = parsed[form.option]
    if path and path ~= "-" then
      local ok <const>, message <const> = require "frlua.files".check(path)
      if not ok then outputs.note("%s: nothing was measured", message) end
      all = all and ok
    end
  end
  if parsed.plots then
    local ok <const>, message <const> = require "frlua.report.plot_files".prepare(parsed.plots)
    if not ok then outputs.note("%s: nothing was measured", message) end
    all = all and ok
  end
  return all and true
end

-- A text, or a function that gives it in pieces.
local function content_of(form, documents, parsed, json_text)
  if not form.module then return json_text() end
  local module <const> = require("frlua.report." .. form.module)
  return (module.pieces or module.render)(documents, parsed, json_text)
end

-- What lies beside a file comes first: nobody then sees one that names what is not there.
local function write_file(path, content, beside)
  local files <const> = require "frlua.files"
  local written, message = true, nil
  if beside then written, message = files.write(path .. ".json", beside) end
  if written then written, message = files.write(path, content) end
  if not written then outputs.note("%s", message) end
  return written
end

local function write_plots(documents, directory)
  local written <const>, message <const> =
    require "frlua.report.plot_files".write(documents, directory)
  if not written then outputs.note("--plots: %s", message) end
  return written
end

-- One that can't be written leaves the others, and whatever was in its place.
local function write_files(documents, parsed, json_text)
  local all = true
  for _, form in ipairs(FORMS) do
    local path <const> = parsed[form.option]
    if path and path ~= "-" then
      local content <const>, is_beside <const> = content_of(form, documents, parsed, json_text)
      all = write_file(path, content, is_beside == true and json_text()) and all
    end
  end
  if parsed.plots then all = write_plots(documents, parsed.plots) and all end
  return all
end

-- What can't be printed shows when the host closes standard output: nothing more is made then.
local function print_content(content)
  if type(content) == "string" then return io.stdout:write(content) end
  for text in content do
    if not io.stdout:write(text) then return end
  end
end

local function print_form(option, documents, parsed, json_text)
  for _, form in ipairs(FORMS) do
    if form.option == option then
      print_content((content_of(form, documents, parsed, json_text)))
    end
  end
end

---Prints what the command line asks for, and writes the files that it names.
---@param documents table[]
---@param report fun() prints the reports, where they are what is asked for
---@param parsed table of options.parsed
---@param text? string of the documents as JSON, where that is there already
---@return boolean written false where a file could not be
function outputs.show(documents, report, parsed, text)
  local function json_text()
    text = text or encode_all(documents)
    return text
  end
  local printed <const> = of_standard_output(parsed)
  if printed == "summary" then
    for _, document in ipairs(documents) do
      io.stdout:write(require "frlua.summary".text(document))
    end
  elseif printed then
    print_form(printed, documents, parsed, json_text)
  else
    report()
  end
  return write_files(documents, parsed, json_text)
end

---Keeps the results as those of the last run, then shows them.
---@param documents table[]
---@param report fun()
---@param parsed table
---@return boolean written
function outputs.write(documents, report, parsed)
  local text <const> = encode_all(documents)
  keep(text)
  return outputs.show(documents, report, parsed, text)
end

return outputs

--- Where results go: the file of the last run, standard output, files that the command line names.
local outputs <const> = {}

---A line for the user, on standard error.
function outputs.note(...)
  io.stderr:write("frlua: ", string.format(...), "\n")
end

---Prints the report of one experiment.
---@param document table
---@param experiment frlua.Experiment
---@param parsed table of options.parsed
function outputs.report(document, experiment, parsed)
  local text <const> = experiment.report or require "frlua.report.text".report
  io.stdout:write(text(document, experiment.reading))
  if parsed.detail then io.stdout:write(require "frlua.report.detail".report(document)) end
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

---Keeps the results as those of the last run, prints what the command line asks for, and writes the
---file that it names.
---@param documents table[]
---@param report fun() prints the reports, where they are what is asked for
---@param parsed table of options.parsed
---@return boolean written false where the file could not be
function outputs.write(documents, report, parsed)
  local text <const> = encode_all(documents)
  keep(text)
  if parsed.json == "-" then
    io.stdout:write(text)
  elseif parsed.summary then
    for _, document in ipairs(documents) do
      io.stdout:write(require "frlua.summary".text(document))
    end
  else
    report()
  end
  if parsed.json and parsed.json ~= "-" then
    local written <const>, message <const> = require "frlua.files".write(parsed.json, text)
    if not written then
      outputs.note("%s", message)
      return false
    end
  end
  return true
end

return outputs

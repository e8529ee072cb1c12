--- A comparison of results, as a document of schema "frlua-compare/1" (compare.schema.json beside
--- result.schema.json; compare.md says how it is judged). Every view is made from it alone.
local contrast <const> = require "frlua.contrast"
local core <const> = require "frlua.core"
local designs <const> = require "frlua.compare.designs"
local json <const> = require "frlua.json"
local passports <const> = require "frlua.compare.passports"
local result <const> = require "frlua.result"
local rows <const> = require "frlua.compare.rows"
local units <const> = require "frlua.units"

local comparison <const> = {}

local ORDER <const> = { "schema", "frlua", "files", "forced", "differences", "notes", "unmatched",
  "tests", "rows", "conditions" }

local function is_single(sources)
  for _, source in ipairs(sources) do
    if #source.documents > 1 then return false end
  end
  return true
end

local function document_named(source, name)
  for _, document in ipairs(source.documents) do
    if document.experiment == name then return document end
  end
end

-- What is compared with what: each experiment of the base with that of its name. Files of one
-- experiment each are meant for each other, whatever the names, which is then an objection.
local function pairs_of(sources, unmatched)
  local list <const>, single <const> = {}, is_single(sources)
  for _, document in ipairs(sources[1].documents) do
    for index = 2, #sources do
      local other <const> = single and sources[index].documents[1]
        or document_named(sources[index], document.experiment)
      if other then
        list[#list + 1] = { base = document, other = other, source = sources[index] }
      else
        unmatched(sources[index], document, "experiment", document.experiment, "only in the base")
      end
    end
  end
  for index = 2, single and 1 or #sources do
    for _, document in ipairs(sources[index].documents) do
      if not document_named(sources[1], document.experiment) then
        unmatched(sources[index], document, "experiment", document.experiment, "not in the base")
      end
    end
  end
  return list
end

local function objections_to(sources, compared)
  local list <const> = json.array {}
  local function add(source, objection)
    list[#list + 1] = { file = source.label, path = source.path, objection = objection }
  end
  for _, source in ipairs(sources) do
    for _, objection in ipairs(source.objections) do add(source, objection) end
  end
  for _, pair in ipairs(compared) do
    for _, objection in ipairs(designs.objections(pair.base, pair.other)) do
      add(pair.source, objection)
    end
  end
  for index = 2, #sources do
    local has_pair = false
    for _, pair in ipairs(compared) do has_pair = has_pair or pair.source == sources[index] end
    if not has_pair then add(sources[index], "has none of the base's experiments") end
  end
  return list
end

-- Holm's correction over every row that has a p and stands.
local function judge_times(list)
  local tested <const>, ps <const> = {}, {}
  for _, row in ipairs(list) do
    if row.p and row.verdict ~= "withdrawn" then
      tested[#tested + 1], ps[#ps + 1] = row, row.p
    end
  end
  for index, adjusted in ipairs(contrast.holm(ps)) do
    local row <const> = tested[index]
    row.p_holm = adjusted.p
    local differs <const> = adjusted.p <= contrast.LEVEL and row.ratio ~= 1
    row.verdict = not differs and "not told apart" or row.ratio > 1 and "slower" or "faster"
  end
  return #ps
end

local function file_of(source)
  local runs <const> = json.array {}
  for index, document in ipairs(source.documents) do
    runs[index] = {
      experiment = document.experiment, doc = document.doc, started_at = document.started_at,
      seed = document.seed, rounds = document.design.rounds, samples = #document.samples,
      digest = result.digest(document.samples),
      machine = require "frlua.report.text".machine(document)[1],
    }
  end
  return { file = source.label, path = source.path, runs = runs }
end

-- What a reader should know that stands against no figure by itself.
local function notes_on(sources, compared)
  local list <const> = json.array {}
  local function add(source, text, ...)
    list[#list + 1] = { file = source.label, note = text:format(...) }
  end
  for _, source in ipairs(sources) do
    for _, document in ipairs(source.documents) do
      local lost = 0
      for _, sample in ipairs(document.samples) do
        if sample.status ~= "ok" then lost = lost + 1 end
      end
      if lost > 0 then
        add(source, "%d of %s of '%s' lost: no verdict on their arms", lost,
          units.plural(#document.samples, "sample"), document.experiment)
      end
    end
  end
  for _, pair in ipairs(compared) do
    if result.digest(pair.base.samples) == result.digest(pair.other.samples) then
      add(pair.source, "the very samples of the base: it is compared with itself")
    end
  end
  return list
end

local function first_documents(sources)
  local documents <const>, labels <const> = {}, {}
  for index, source in ipairs(sources) do
    documents[index], labels[index] = source.documents[1], source.label
  end
  return documents, labels
end

local function compare_all(compared, unmatched)
  local all <const>, first = json.array {}, 1
  while compared[first] do
    local base <const>, lists <const> = rows.taken(compared[first].base), {}
    local last = first
    while compared[last] and compared[last].base == compared[first].base do
      local pair <const> = compared[last]
      lists[#lists + 1] = rows.compare(base, rows.taken(pair.other), pair.source.label,
        function(...) unmatched(pair.source, pair.base, ...) end)
      last = last + 1
    end
    rows.add(base, lists, all)
    first = last
  end
  return all
end

---Compares files with the first of them.
---@param sources frlua.Source[] at least two
---@param is_forced boolean whether what makes no sense is compared, and marked
---@return table? document of schema frlua-compare/1
---@return { file: string, path: string, objection: string }[] objections
function comparison.take(sources, is_forced)
  local missing <const> = json.array {}
  local function unmatched(source, document, kind, name, why, arm)
    missing[#missing + 1] = { file = source.label, experiment = document.experiment, kind = kind,
      name = name, arm = arm, why = why }
  end
  local compared <const> = pairs_of(sources, unmatched)
  local objections <const> = objections_to(sources, compared)
  if objections[1] and not is_forced then return nil, objections end
  local files <const> = json.array {}
  for index, source in ipairs(sources) do files[index] = file_of(source) end
  local list <const> = compare_all(compared, unmatched)
  return {
    schema = "frlua-compare/1",
    frlua = { version = core.version, commit = core.commit ~= "" and core.commit or nil,
      commit_why = core.commit == "" and "not built from a git checkout" or nil },
    files = files, forced = objections, notes = notes_on(sources, compared),
    differences = passports.differences(first_documents(sources)),
    unmatched = missing, tests = judge_times(list), rows = list, conditions = json.array {},
  }, objections
end

---The document as the text of a file: one line.
---@param document table
---@return string
function comparison.encode(document)
  return json.encode(result.with_nulls(document), ORDER) .. "\n"
end

return comparison

--- The result files of a comparison: read, verified, and named A, B, C, … in the order given.
local read_result <const> = require "frlua.read_result"
local units <const> = require "frlua.units"
local verify <const> = require "frlua.verify"

local sources <const> = {}

---@class frlua.Source
---@field label string "A" is the base
---@field path string
---@field documents table[] as they were before they were written
---@field objections string[] why it is no ground to stand on

local LETTERS <const> = 26

---The name of the file at a place: A to Z, then AA, AB, … as the columns of a table.
---@param index integer
---@return string
function sources.label(index)
  local label = ""
  while index > 0 do
    label = string.char(("A"):byte() + (index - 1) % LETTERS) .. label
    index = (index - 1) // LETTERS
  end
  return label
end

-- Why a file does not follow from its own samples: the first finding, and how many there are.
local function unverified(documents, duplicates)
  local findings <const> = {}
  if duplicates > 0 then
    findings[1] = ("%s written twice"):format(units.plural(duplicates, "key"))
  end
  for _, document in ipairs(documents) do
    local found <const> = verify.document(document).findings
    table.move(found, 1, #found, #findings + 1, findings)
  end
  if not findings[1] then return nil end
  local others <const> = #findings - 1
  return ("does not verify: %s%s"):format(findings[1],
    others > 0 and (" (and %s more)"):format(units.plural(others, "finding")) or "")
end

-- What a run itself says against being compared.
local function doubts(document)
  local found <const> = {}
  if document.design.pause_divisor > 1 then
    found[#found + 1] = ("is a quick run: its pauses were divided by %d"):format(
      document.design.pause_divisor)
  end
  if document.partial then
    found[#found + 1] = ("is partial: interrupted after %s"):format(
      units.plural(#document.samples, "sample"))
  end
  for _, guard in ipairs(document.guards or {}) do
    if guard.verdict == "void" then
      found[#found + 1] = ("has void figures of '%s': %s"):format(guard.kernel, guard.why)
    end
  end
  return found
end

local function source_of(index, path)
  local raw <const>, duplicates <const> = read_result.raw(path)
  if not raw then return nil, duplicates end
  local source <const> = { label = sources.label(index), path = path, documents = {} }
  source.objections = { unverified(raw, duplicates) }
  for number, document in ipairs(raw) do
    local ok <const>, read <const> = pcall(read_result.document, document)
    local has_design <const> = ok and type(read.design) == "table"
    if not has_design then return nil, ("'%s' is no result as frlua writes it"):format(path) end
    source.documents[number] = read
    local found <const> = doubts(read)
    table.move(found, 1, #found, #source.objections + 1, source.objections)
  end
  return source
end

---@param paths string[] "-" is standard input
---@return frlua.Source[]? list
---@return string? message of the first file that can't be read
function sources.read(paths)
  local list <const> = {}
  for index, path in ipairs(paths) do
    local message
    list[index], message = source_of(index, path)
    if not list[index] then return nil, message end
  end
  return list
end

return sources

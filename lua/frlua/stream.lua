--- The word for non-temporal stores, where the architecture has them.
local check <const> = require "frlua.check"
local grammar <const> = require "frlua.grammar"

local stream <const> = {}

---Writes every word (8 bytes) of a region by non-temporal stores: a hint that nobody reads it soon,
---so that lines written whole need not be read first, nor kept. What became of the hint is to be
---measured, see scripts/writes.lua. Refused where no such stores are known.
---`fr.stream "buffer"`, `fr.stream { "buffer", value = 7 }`
---@param fields string|table
---@return frlua.Op
function stream.stream(fields)
  if not require "frlua.core".has_stream_stores() then
    check.fail(("fr.stream needs non-temporal stores, and frlua knows none of %s: fr.write { …,"
      .. " every = 'word' } stores words by way of the caches")
      :format(require "frlua.machine".arch or "this architecture"))
  end
  local region <const> = grammar.one_region(fields, { "value" }, "fr.stream")
  local value <const> = type(fields) == "table" and fields.value or 1
  return {
    kind = "op",
    code = "stream",
    region = region,
    every = "word",
    value = check.whole(value, "value in fr.stream"),
  }
end

return stream

--- Rows of a sweep, as the functions that look for steps and plateaus in them take them.
local check <const> = require "frlua.check"

local rows <const> = {}

---The rows' values of `at`, which must rise: a row that is out of order or there twice would show a
---step where there is none.
---@param list any a list of at least one row
---@param what string whose rows they are, such as "fr.find_step"
---@return number[] at one of each row
function rows.rising(list, what)
  check.keys(list, { entries = true }, "rows of " .. what)
  if #list == 0 then check.fail(what .. " needs at least one row") end
  local at <const> = {}
  for index, row in ipairs(list) do
    local name <const> = ("row %d of %s"):format(index, what)
    if type(row) ~= "table" then
      check.fail(("%s must be a table, not %s"):format(name, check.show(row)))
    end
    at[index] = check.number(row.at, "at in " .. name)
    if index > 1 and at[index] <= at[index - 1] then
      check.fail(("at in %s must be above %s, that of the row before, not %s")
        :format(name, check.show(at[index - 1]), check.show(row.at)))
    end
  end
  return at
end

---A finite number above 0.
---@param value any
---@param name string
---@return number
function rows.positive(value, name)
  local number <const> = check.number(value, name)
  if number > 0 then return number end
  check.fail(("%s must be above 0, not %s"):format(name, check.show(value)))
end

return rows

--- The normal distribution, as far as approximations for many values need it. Lua has no error
--- function.
local normal <const> = {}

local FAR <const> = 3 -- from here on the continued fraction converges fast
local HEIGHT <const> = 1 / math.sqrt(2 * math.pi)

-- The area between 0 and z: z^(2k+1) / (1 3 5 … (2k+1)), times the density (Marsaglia, "Evaluating
-- the normal distribution", Journal of Statistical Software 11, 2004).
local function from_zero(z)
  local term, sum, k = z, z, 1
  while term > sum * 0x1p-54 do
    term = term * z * z / (2 * k + 1)
    sum, k = sum + term, k + 1
  end
  return HEIGHT * math.exp(-z * z / 2) * sum
end

-- Laplace's continued fraction z + 1/(z + 2/(z + 3/…)), from its far end.
local function beyond(z)
  local fraction = z
  for k = 200, 1, -1 do fraction = z + k / fraction end
  return HEIGHT * math.exp(-z * z / 2) / fraction
end

---P(Z > z) of a standard normal variable, to about 1e-13 of its value.
---@param z number
---@return number
function normal.above(z)
  if z < 0 then return 1 - normal.above(-z) end
  return z < FAR and 0.5 - from_zero(z) or beyond(z)
end

return normal

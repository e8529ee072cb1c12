-- The same loop a hundred times, every iteration timed: the first ones are another story.
local fr <const> = require "frlua"

local input  <close> = assert(fr.map { bytes = 512 * fr.KiB })
local output <close> = assert(fr.map { bytes = 512 * fr.KiB })
input:fill()                                                   -- 0, 1, 2 …; resident

local readings <const> = fr.time(fr.affine { to = output, from = input, mul = 3, add = 1 }, 100)
for _, iteration in ipairs { 1, 2, 3, 10, 100 } do
  print(("iteration %3d: %8d ns"):format(iteration, readings.ns[iteration]))
end
for _, fault in ipairs(readings.minor_faults) do
  print(("iteration %3d: %8d minor faults"):format(fault[1], fault[2]))
end

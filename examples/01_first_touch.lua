-- What does the first write to new memory cost? A primitive is one call into C; it returns what it
-- measured.
local fr <const> = require "frlua"

local m <close> = assert(fr.map { bytes = 64 * fr.MiB, advise = "nohugepage" })
local first <const>, again <const> = m:write(), m:write()      -- one byte a page, twice

for _, pass in ipairs { first, again } do
  print(("%7.1f ns a page, %5d minor faults"):format(pass.ns / m.pages, pass.minor_faults))
end

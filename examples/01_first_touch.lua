-- What does the first write to new memory cost? A primitive is one call into C; it returns what it
-- measured.
local fr <const> = require "frlua"

local m <close> = assert(fr.map { bytes = 64 * fr.MiB, advise = "nohugepage" })
local first <const>, again <const> = m:write(), m:write()      -- one byte a page, twice

print(("first touch: %6.1f ns a page, %d minor faults"):format(first.ns / m.pages, first.minor_faults))
print(("again:       %6.1f ns a page, %d minor faults"):format(again.ns / m.pages, again.minor_faults))

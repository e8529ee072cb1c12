-- A fresh process is the sample: fr.fork runs a Lua function in a pinned child and brings back its
-- value and what the kernel counted. The parent's pages are the child's, until one of them writes.
local fr <const> = require "frlua"

local m <close> = assert(fr.map { bytes = 16 * fr.MiB, advise = "nohugepage" })
m:write()                                                      -- resident here, in the parent

for _, what in ipairs { "read", "write" } do
  local child <const> = fr.fork { run = function() return m[what](m) end }
  print(("the child %ss: %6.1f ns a page, %d faults for %d pages"):format(what,
    child.value.ns / m.pages, child.value.minor_faults, m.pages))
end

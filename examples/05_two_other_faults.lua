-- A plain C program makes 128 page faults on its output in the first iteration, and a few others.
-- fr.spawn { faults = true } names them; the program only tells when, how many, and where its
-- output is.  frlua examples/05_two_other_faults.lua
local fr <const> = require "frlua"

local source <const> = debug.getinfo(1, "S").source:match "^@(.*)%.lua$" .. ".c"
local program <const> = os.tmpname()
local compiled <const> = assert(fr.spawn { "cc", "-O2", "-o", program, source })
assert(compiled.exit_status == 0, compiled.stderr)
local child <const> = assert(fr.spawn { program, faults = true })
os.remove(program)

local from_ns <const>, to_ns <const>, total <const>, output <const>, ns <const> =
  child.stdout:match "(%d+) (%d+) (%d+) (%d+) (%d+)"
print(("first iteration: %d ns (traced), %d page faults"):format(ns, total))
if not child.faults then return print("which: unknown, " .. child.faults_why) end

local first <const> = child.faults:within {
  from_ns = tonumber(from_ns), to_ns = tonumber(to_ns), total = tonumber(total),
  regions = { { name = "output", address = tonumber(output), bytes = 512 * fr.KiB } },
}
for _, item in ipairs(first.by_mapping) do
  print(("  %-16s %4d"):format(item.mapping, item.count))
end
print(("  in the kernel    %4d, lost %d"):format(first.in_kernel, first.lost))

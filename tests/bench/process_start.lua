-- Does fr.spawn take as long for a command as hyperfine says? Series of both, interleaved, on one
-- CPU, and hyperfine against itself beside them. Prints ratios of medians; 1 is the same.
--
--   frlua tests/bench/process_start.lua [pairs] [runs of a series] [command …]
local fr      <const> = require "frlua"
local core    <const> = require "frlua.core"
local cpus    <const> = require "frlua.cpus"
local json    <const> = require "frlua.json"
local stats   <const> = require "frlua.stats"
local compare <const> = require "compare"

local pairs_of <const>, runs <const> = tonumber(arg[1] or 30), tonumber(arg[2] or 20)
local cpu <const> = cpus.choose()
core.stay_on(cpu) -- as a run does, and as hyperfine does where it is pinned

local function ours(words)
  return function()
    local list <const> = {}
    for run = 1, runs do
      local child <const> = assert(fr.spawn { cpu = cpu, output = "discard", table.unpack(words) })
      assert(child.exit_status == 0, words[1] .. " failed")
      list[run] = child.wall_ns
    end
    return stats.median(list)
  end
end

-- The command is one text, which hyperfine splits into words itself: without a shell (-N).
local function hyperfine(text)
  return function()
    local child <const> = assert(fr.spawn {
      "hyperfine", "-N", "--style", "none", "--warmup", 0, "--runs", runs,
      "--export-json", "/dev/stdout", text, cpu = cpu,
    })
    assert(child.exit_status == 0, child.stderr)
    local list <const> = {}
    for index, seconds in ipairs(json.decode(child.stdout).results[1].times) do
      list[index] = seconds * 1e9
    end
    return stats.median(list)
  end
end

local commands <const> = arg[3] and { table.move(arg, 3, #arg, 1, {}) }
  or { { "/bin/true" }, { "lua5.4", "-e", "x=1" } }
print(("%d pairs of series of %d runs, medians of ratios with 95 %% intervals"):format(pairs_of,
  runs))
for _, words in ipairs(commands) do
  local text <const> = table.concat(words, " ")
  local frlua <const>, first <const>, second <const> =
    compare.interleave(pairs_of, { ours(words), hyperfine(text), hyperfine(text) })
  compare.line(text .. ", frlua / hyperfine", frlua, first)
  compare.line(text .. ", hyperfine / hyperfine", second, first)
end

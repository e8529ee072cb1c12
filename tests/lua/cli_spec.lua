local json <const> = require "frlua.json"
local sessions <const> = require "sessions"

setup(sessions.open)
teardown(sessions.close)

-- Two experiments of one sample each, which are returned as the script says at the end.
local EXPERIMENTS <const> = [[
local function experiment(name, ...)
  return fr.experiment(name) {
    regions = { fr.region "b" { bytes = 1 } }, timed = fr.write "b", rounds = 1,
    steps = { fr.step "one" { fr.write "b" }, fr.step "two" { fr.read "b" } },
    arms = fr.modes { ... }, metrics = { fr.metric "m" { at = 1 } },
  }
end
local first, second = experiment("first", "natural", "one", "one,two"), experiment("second", "two")
]]

local function run(last_lines, options)
  return sessions.run('export XDG_STATE_HOME=$PWD; "$1" ' .. (options or '"$2"'),
    EXPERIMENTS .. last_lines)
end

local function arms_of(document)
  local names <const> = {}
  for index, arm in ipairs(document.arms) do names[index] = arm.name end
  return names
end

local function documents(last_lines, options)
  local child <const> = run(last_lines, '"$2" --json - ' .. options)
  assert.equal("", child.stderr)
  assert.equal(0, child.exit_status)
  return assert(json.decode(child.stdout))
end

describe("a script that returns no experiment", function()
  it("is a plain program, and what it returned is said", function()
    for value, kind in pairs { ["5"] = "number", ["{}"] = "table", ["'x'"] = "string",
      ["true"] = "boolean", ["fr.experiment 'x'"] = "function", ["{ {}, first }"] = "table" } do
      local child <const> = run("print 'ran' return " .. value)
      assert.equal("ran\n", child.stdout)
      assert.equal(("frlua: script.lua returned a %s, not an experiment: nothing was measured\n")
        :format(kind), child.stderr)
      assert.equal(0, child.exit_status)
    end
  end)

  it("has nothing said of it when it returns nothing, or nil", function()
    for _, last in ipairs { "", "return", "return nil" } do
      local child <const> = run(last)
      assert.same({ "", "", 0 }, { child.stdout, child.stderr, child.exit_status })
    end
  end)

  it("has its arguments to itself", function()
    local child <const> = run("print(...) return 5", '"$2" --json x --no-such --rounds')
    assert.equal("--json\tx\t--no-such\t--rounds\n", child.stdout)
    assert.equal(0, child.exit_status)
  end)

  it("has no use for the library's options before its name", function()
    for _, last in ipairs { "", "return 5" } do
      local child <const> = run(last, '--quick "$2"')
      assert.equal("frlua: script.lua returned no experiment: the options before its name have"
        .. " nothing to apply to\n", child.stderr)
      assert.equal(2, child.exit_status)
    end
  end)
end)

describe("a list of experiments", function()
  it("is refused when it has one twice, or two of one name, before anything is measured", function()
    for _, list in ipairs { "{ second, first, second }",
      "{ experiment('second', 'one'), first, second }" } do
      local child <const> = run("return " .. list)
      assert.equal("frlua: items 1 and 3 of the list that the script returned are both experiment "
        .. "'second'\n", child.stderr)
      assert.same({ 2, "" }, { child.exit_status, child.stdout })
    end
  end)

  it("is run in its order", function()
    local found <const> = documents("return { second, first }", "")
    assert.same({ "second", "first" }, { found[1].experiment, found[2].experiment })
    local text <const> = run("return { second, first }").stdout
    assert.is_true(text:find("\nfirst\n", 1, true) > text:find("second\n", 1, true))
  end)

  it("has nothing else in it", function()
    local child <const> = run("return { first, 7 }")
    assert.equal("frlua: item 2 of the list that the script returned is a number, not an"
      .. " experiment\n", child.stderr)
    assert.same({ 2, "" }, { child.exit_status, child.stdout })
  end)
end)

describe("--arm", function()
  it("runs only the arms that are named, in the script's order", function()
    local found <const> = documents("return first", "--arm one,two --arm natural")
    assert.same({ "natural", "one,two" }, arms_of(found))
    assert.equal(2, #found.samples)
  end)

  it("runs only the experiments that have one of them", function()
    local one <const> = documents("return { first, second }", "--arm two")
    assert.same({ "second", { "two" } }, { one.experiment, arms_of(one) })
    local found <const> = documents("return { first, second }", "--arm two --arm one")
    assert.same({ { "one" }, { "two" } }, { arms_of(found[1]), arms_of(found[2]) })
  end)

  it("names the nearest for one that is unknown, before anything is measured", function()
    local child <const> = run("return { first, second }", '"$2" --arm two --arm natrual')
    assert.equal("frlua: --arm: there is no arm 'natrual': did you mean 'natural'?\n",
      child.stderr)
    assert.same({ 2, "" }, { child.exit_status, child.stdout })
    assert.equal("frlua: --arm: there is no arm 'four': there are 'natural', 'one', 'one,two'\n",
      run("return first", '"$2" --arm four').stderr)
  end)
end)

describe("a run that keeps more readings than there is memory for", function()
  it("is refused with the numbers, before anything is measured", function()
    local memory <const> = require "frlua.machine".memory_bytes
    -- One sample has room, and so has one round; two of them have not.
    local script <const> = [[
      return fr.experiment "many" {
        regions = { fr.region "b" { bytes = 1 } }, rounds = 2,
        arms = { fr.arm "a" { fr.phase "p" { iterations = fr.machine.memory_bytes // 40,
          fr.write "b" } } },
        metrics = { fr.metric "m" { at = 1 } },
      }]]
    for options, rounds in pairs { [""] = 2, [" --rounds 100000"] = 100000 } do
      local child <const> = run(script, '"$2"' .. options)
      assert.same({ 2, "" }, { child.exit_status, child.stdout })
      assert.equal(("frlua: the run has %d readings, in all rounds and arms: to keep them takes 24 "
        .. "bytes each, this machine has %s\n"):format(memory // 40 * rounds,
        require "frlua.units".bytes(memory)), child.stderr)
    end
  end)
end)

describe("fr.args", function()
  it("is what is left to the script", function()
    local child <const> = run("print(table.unpack(fr.args())) return first",
      '"$2" a --quick b -- --seed c')
    assert.matches("^a\tb\t%-%-seed\tc\n", child.stdout)
  end)

  it("leaves no option without use: one that only an experiment has is a usage error", function()
    for _, last in ipairs { "", "return nil", "return 5" } do
      local program <const> = "print(#fr.args()) " .. last
      local child <const> = run(program, '"$2" a --quick --time-limit 3')
      assert.equal("frlua: script.lua returned no experiment: --time-limit, --quick have nothing to"
        .. " apply to\n", child.stderr)
      assert.same({ 2, "1\n" }, { child.exit_status, child.stdout })
      assert.equal("frlua: script.lua returned no experiment: --arm has nothing to apply to\n",
        run(program, '"$2" --arm x').stderr)
      assert.same({ 0, "2\n" }, { run(program, '"$2" a b').exit_status,
        run(program, '"$2" a b').stdout })
    end
    local switches <const> = "print(fr.args({ flags = { 'all' } }).all)"
    assert.same({ "true\n", "" }, { run(switches, '"$2" --all').stdout,
      run(switches, '"$2" --all').stderr })
  end)

  it("has the values of its own options, beside those of frlua, and records them", function()
    local program <const> = "print(fr.args({ values = { 'probe' } }).probe) return first"
    for _, line in ipairs { '"$2" --probe a --quick', '"$2" --quick --probe=a' } do
      assert.matches("^a\n", run(program, line).stdout)
    end
    assert.matches("^%-%-x\n", run(program, '"$2" --quick --probe --x').stdout)
    assert.matches("^nil\n", run(program, '"$2" --quick').stdout)
    assert.equal(2, run(program, '"$2" --quick --probe').exit_status)
    assert.same({ "b", "--probe", "a" }, { table.unpack(documents(
      "fr.args { values = { 'probe' } } return first", "--probe a b").args) })
    assert.matches("--rounds is an option of frlua itself",
      run("fr.args { values = { 'rounds' } }", '"$2"').stderr, 1, true)
  end)

  it("may be changed without changing what the result says of it", function()
    local change <const> = "local args = fr.args() args[1] = 'mine' return first"
    assert.equal(0, #documents(change, "").args)
    assert.same({ "theirs" }, { table.unpack(documents(change, "theirs").args) })
  end)

  it("takes a wrong option for a usage error", function()
    local child <const> = run("fr.args()", '"$2" --jsn x')
    assert.equal(2, child.exit_status)
    assert.matches("^frlua: unknown option '%-%-jsn'\nDid you mean '%-%-json'%?", child.stderr)
  end)
end)

describe("the last run", function()
  it("is kept, asked for or not", function()
    run "return first"
    assert.equal("first", json.decode(sessions.contents "frlua/last.json").experiment)
    run("return second", '"$2" --json - >/dev/null')
    assert.equal("second", json.decode(sessions.contents "frlua/last.json").experiment)
  end)
end)

local core <const> = require "frlua.core"

local original <const> = core.arguments

-- What the library makes of a command line: the options, or the message of a usage error.
local function parsed(...)
  local arguments <const> = { ... }
  core.arguments = function() return arguments end
  package.loaded["frlua.options"] = nil
  local options <const> = require "frlua.options"
  local ok <const>, got <const> = pcall(options.parsed)
  core.arguments = original
  return ok and got, not ok and got
end

local function refusal(...)
  local well <const>, message <const> = parsed(...)
  assert.is_false(well)
  assert.equal(2, getmetatable(message).__exit_status)
  return tostring(message)
end

teardown(function() package.loaded["frlua.options"] = nil end)

describe("options of an experiment", function()
  it("stand on both sides of the script's name", function()
    local got <const> = parsed("--rounds", "4", "s.lua", "a", "--quick", "b", "--seed=5")
    assert.same({ 4, true, 5, "s.lua", { "a", "b" } },
      { got.rounds, got.quick, got.seed, got.script, got.arguments })
  end)

  it("end at --, and what follows is the script's", function()
    local got <const> = parsed("s.lua", "--quick", "--", "--json", "x", "--", "--rounds")
    assert.same({ "--json", "x", "--", "--rounds" }, got.arguments)
    assert.is_true(got.quick)
    assert.is_nil(got.json)
    assert.equal("--quick", parsed("--", "--quick").script)
  end)

  it("have values that no one has to give", function()
    local got <const> = parsed "s.lua"
    assert.same({ "auto", {}, {} }, { got.progress, got.arm, got.arguments })
    for _, name in ipairs { "rounds", "cpu", "seed", "time_limit", "quick", "json", "detail",
      "counters" } do
      assert.is_nil(got[name])
    end
  end)

  it("take the value that follows, whatever it looks like", function()
    assert.equal("-", parsed("s.lua", "--json", "-").json)
    assert.equal("--odd", parsed("s.lua", "--json", "--odd").json)
    assert.same({ "a,b", "-x", "--" },
      parsed("s.lua", "--arm", "a,b", "--arm=-x", "--arm", "--").arm)
    assert.equal("--rounds needs a whole number from 1 to 100000, not '-1'",
      refusal("s.lua", "--rounds", "-1"))
    assert.equal("--rounds needs a whole number from 1 to 100000, not '--quick'",
      refusal("s.lua", "--rounds", "--quick"))
  end)

  it("that need a value say so", function()
    for _, name in ipairs { "rounds", "arm", "cpu", "seed", "time-limit", "json", "progress" } do
      assert.matches(("option '--%s' requires an argument"):format(name),
        refusal("s.lua", "--" .. name), 1, true)
    end
  end)

  it("refuse numbers that are none, by name and value", function()
    local wholes <const> = { rounds = "from 1 to 100000", cpu = "of at least 0",
      seed = "of at least 0" }
    for name, range in pairs(wholes) do
      for _, value in ipairs { "-1", "1.5", "x", "", "nan", "inf", "9223372036854775808" } do
        assert.equal(("--%s needs a whole number %s, not '%s'"):format(name, range, value),
          refusal("s.lua", "--" .. name, value))
      end
    end
    assert.equal("--rounds needs a whole number from 1 to 100000, not '0'",
      refusal("s.lua", "--rounds", "0"))
    for _, value in ipairs { "0", "-1", "nan", "inf", "soon", "1e10", "" } do
      assert.equal(("--time-limit needs a number of seconds above 0, up to 1000000000, "
        .. "not '%s'"):format(value),
        refusal("s.lua", "--time-limit", value))
    end
  end)

  it("take whole numbers in every form of Lua", function()
    assert.equal(7, parsed("s.lua", "--rounds", "7.0").rounds)
    assert.equal(16, parsed("s.lua", "--rounds", "0x10").rounds)
    assert.equal(math.maxinteger, parsed("s.lua", "--seed", tostring(math.maxinteger)).seed)
    assert.equal(0.25, parsed("s.lua", "--time-limit", "0.25").time_limit)
    assert.equal(0, parsed("s.lua", "--cpu", "0").cpu)
  end)

  it("name the nearest for one that is unknown", function()
    local typos <const> = { ["--jsn"] = "--json", ["--round"] = "--rounds", ["--qiuck"] = "--quick",
      ["--time-limt"] = "--time-limit", ["--details"] = "--detail" }
    for typo, meant in pairs(typos) do
      local message <const> = refusal("s.lua", typo)
      assert.matches(("unknown option '%s'"):format(typo), message, 1, true)
      assert.matches(("Did you mean '%s'?"):format(meant), message, 1, true)
      assert.matches("frlua --help lists the options", message, 1, true)
    end
    assert.matches("^%-%-progress.*not 'allways'", refusal("s.lua", "--progress", "allways"))
  end)

  it("need a script", function()
    assert.matches("missing argument 'script'", refusal("--quick"), 1, true)
  end)
end)

describe("the script's name", function()
  local function index(...)
    return require "frlua.options".script_index { ... }
  end

  it("is what is no option, and no option's value", function()
    assert.equal(1, index("s.lua", "--quick"))
    assert.equal(4, index("--rounds", "4", "--quick", "s.lua", "x"))
    assert.equal(3, index("--rounds=4", "--arm=a", "s.lua"))
    assert.equal(5, index("--json", "-", "--arm", "--quick", "-", "x"))
    assert.equal(3, index("--quick", "--", "--odd.lua"))
    assert.is_nil(index("--quick", "--json", "out.json"))
    assert.is_nil(index("--quick", "--"))
  end)
end)

local fr <const> = require "frlua"
local files <const> = require "frlua.files"
local programs <const> = require "frlua.programs"

local function design_of(arms, claims, rounds)
  return assert(programs.design {
    arms = arms, metrics = { "time" }, claims = claims or {}, rounds = rounds or 2, seed = 7,
  })
end

local function number(output)
  local value <const> = tonumber(output)
  if not value then return nil, "no number: " .. output end
  return { value = value }
end

local function shell(name, command, env)
  return { name = name, argv = { "/bin/sh", "-c", command }, env = env }
end

-- Samples without processes: values by arm, one a round.
local function samples_of(by_arm)
  local samples <const> = {}
  for arm, list in pairs(by_arm) do
    for round, value in ipairs(list) do
      samples[#samples + 1] = { arm = arm, round = round, status = value and "ok" or "killed",
        readings = value and { value = value } or nil }
    end
  end
  return samples
end

local TAKE <const> = { time = function(readings) return readings.value end }

local function judged(by_arm, claims, objections)
  local arms <const> = { { name = "fast" }, { name = "slow" },
    { name = "slow (twin)", twin_of = "slow" } }
  local design <const>, samples <const> = design_of(arms, claims, #by_arm.slow), samples_of(by_arm)
  return programs.judge(design, samples, programs.values(design, samples, TAKE), objections)
end

local function repeated(value, count)
  local list <const> = {}
  for index = 1, count do list[index] = value end
  return list
end

describe("programs as samples", function()
  it("run every arm once in every round, in the order of the design", function()
    local design <const> = design_of({ shell("one", "echo 1"), shell("two", "echo 2") }, {}, 3)
    local samples <const> = programs.run(design, number)
    assert.equal(6, #samples)
    for index, sample in ipairs(samples) do
      local round <const>, position <const> = (index + 1) // 2, (index + 1) % 2 + 1
      assert.same({ round, position }, { sample.round, sample.position })
      local arm <const> = design.arms[design.order[round][position]]
      assert.equal(arm.name, sample.arm)
      assert.equal(arm.name == "one" and 1 or 2, sample.readings.value)
    end
  end)

  it("have the environment of their arm, and no other", function()
    local design <const> = design_of({ shell("mine", "echo $NUMBER$HOME", { NUMBER = "5" }) })
    for _, sample in ipairs(programs.run(design, number)) do
      assert.equal(5, sample.readings.value)
    end
  end)

  it("are lost with a reason when they fail, are killed, or print something else", function()
    local design <const> = design_of({
      shell("fails", "echo why >&2; exit 3"), shell("killed", "kill -9 $$"),
      shell("odd", "echo text"), { name = "absent", argv = { "/nowhere/program" } },
    }, {}, 1)
    local found <const>, samples <const> = {}, programs.run(design, number)
    for _, sample in ipairs(samples) do
      assert.is_nil(sample.readings)
      found[sample.arm] = ("%s: %s"):format(sample.status, sample.why)
    end
    assert.equal("exited: exit status 3: why", found.fails)
    assert.equal("killed: killed by SIGKILL", found.killed)
    assert.equal("unreadable: no number: text\n", found.odd)
    assert.matches("^not started: cannot start '/nowhere/program': .*ENOENT", found.absent)
    assert.equal(3, programs.status(samples, {}))
    assert.matches("1 of 1 processes of 'fails' are lost; the first, in round 1: exit status 3",
      programs.lost(design, samples)[1], 1, true)
  end)

  it("leave a hole where one was lost", function()
    local design <const> = design_of({ { name = "a" } }, {}, 3)
    local values <const> = programs.values(design, samples_of { a = { 10, false, 30 } }, TAKE)
    assert.same({ [1] = 10, [3] = 30 }, values.a.time)
  end)

  it("differ by round, divided among what is counted", function()
    local found <const> = programs.difference({ [1] = 110, [3] = 150, [4] = 9 },
      { [1] = 10, [2] = 1, [3] = 30 }, 4, 10)
    assert.equal(2, found.n)
    assert.equal(11.0, found.median) -- of 10 and 12
    assert.equal(0, programs.difference({}, { 1 }, 1).n)
  end)
end)

describe("claims about programs", function()
  local faster <const> = fr.claim "faster" {
    test = fr.below { "fast", than = "slow", metric = "time" },
  }
  local slower <const> = fr.claim "slower" {
    test = fr.above { "fast", than = "slow", metric = "time" },
  }
  local by_arm <const> = { fast = repeated(10, 12), slow = repeated(20, 12),
    ["slow (twin)"] = repeated(20, 12) }

  it("are judged beside the noise of a twin, in their order", function()
    local verdicts <const>, floors <const> = judged(by_arm, { slower, faster })
    assert.same({ "slower", "fail" }, { verdicts[1].claim, verdicts[1].verdict })
    assert.same({ "faster", "pass" }, { verdicts[2].claim, verdicts[2].verdict })
    assert.equal(0.5, verdicts[2].numbers.contrasts[1].ratio)
    assert.same({ "slow", 1.0 }, { floors[1].arm, floors[1].floor })
    assert.equal(5, programs.status({}, verdicts))
  end)

  it("are withdrawn where the evidence speaks against them, whatever the times are", function()
    local verdicts <const> = judged(by_arm, { faster }, { faster = "it was not lazy" })
    assert.same({ "withdrawn", "it was not lazy" }, { verdicts[1].verdict, verdicts[1].reason })
    assert.equal(0, programs.status({}, verdicts))
  end)

  it("are withdrawn inside the noise", function()
    local twin <const> = {}
    for round = 1, 12 do twin[round] = round % 2 == 0 and 5 or 80 end
    local verdicts <const> = judged({ fast = by_arm.fast, slow = by_arm.slow,
      ["slow (twin)"] = twin }, { faster })
    assert.equal("withdrawn", verdicts[1].verdict)
    assert.matches("inside the noise", verdicts[1].reason, 1, true)
  end)
end)

describe("what is kept of programs", function()
  it("is the whole document, under its own name", function()
    local path <const> = assert(programs.keep("programs_spec", { samples = { 1, 2 } }))
    assert.matches("/frlua/programs_spec%.json$", path)
    assert.same({ samples = { 1, 2 } }, fr.json.decode((files.read(path))))
    os.remove(path)
  end)
end)

local claimed <const> = require "claimed"
local fr <const> = require "frlua"

local around <const> = claimed.around
local WHY <const> = "its tables are walked twice"
local GUEST <const> = { hypervisor = "KVM" }

-- The verdict on "fast is below slow"; `fast` says what it is.
local function judged(fast, passport, fields)
  local arms <const> = { fast = around(fast, 10), slow = around(1000, 10),
    ["slow (twin)"] = around(1000, 10) }
  local all <const> = { test = fr.below { "fast", than = "slow", metric = "time" },
    in_guest = WHY }
  for key, value in pairs(fields or {}) do all[key] = value or nil end
  return claimed.judge({ fr.claim "fast" (all) }, arms, { passport = passport })[1]
end

describe("a claim about what a guest's machine may change", function()
  it("is withdrawn in a guest where it would fail, with what it failed by", function()
    local found <const> = judged(2000, GUEST)
    assert.equal("withdrawn", found.verdict)
    assert.equal("time of 'fast' is 2 times time of 'slow' [2, 2] in 10 rounds: not below 1; this"
      .. " is a guest of KVM: its tables are walked twice", found.reason)
    assert.equal(2.0, found.numbers.contrasts[1].ratio)
  end)

  it("fails where no hypervisor is", function()
    local found <const> = judged(2000, {})
    assert.same({ "fail", nil }, { found.verdict, found.reason:match "guest" })
  end)

  it("passes in a guest as elsewhere", function()
    assert.equal("pass", judged(500, GUEST).verdict)
    assert.equal("pass", judged(500, {}).verdict)
  end)

  it("is no more excused than withdrawn", function()
    local found <const> = judged(1000, GUEST)
    assert.same({ "withdrawn", nil }, { found.verdict, found.reason:match "guest" })
  end)

  it("fails in a guest where it does not say why it might", function()
    assert.equal("fail", judged(2000, GUEST, { in_guest = false }).verdict)
  end)

  it("is the one that was asked in the end", function()
    local contrary <const> = { needs = fr.above { "fast", than = "slow", metric = "time",
      factor = 9 }, in_guest = false,
      otherwise = fr.claim "instead" { in_guest = WHY,
        test = fr.below { "fast", than = "slow", metric = "time" } } }
    local found <const> = judged(2000, GUEST, contrary)
    assert.same({ "instead", "withdrawn" }, { found.asked, found.verdict })
    contrary.otherwise.in_guest, contrary.in_guest = nil, WHY
    assert.equal("fail", judged(2000, GUEST, contrary).verdict)
  end)
end)

local modes <const> = require "frlua.modes"

local prefault <const> = { name = "prefault", ops = { {} } }
local spin <const> = { name = "spin", ops = { {} } }
local touch <const> = { name = "touch", ops = { {}, {} } }
local steps <const> = { prefault, spin, touch }

local function refuses(names, message, declared)
  local ok <const>, got <const> = pcall(modes.resolve, names, declared or steps)
  assert.is_false(ok)
  assert.matches(message, got, 1, true)
end

describe("a mode", function()
  it("is made of the steps in its name, in that order", function()
    local resolved <const> = modes.resolve({ "natural", "prefault", "touch,spin,touch" }, steps)
    assert.same({ name = "natural", steps = {} }, resolved[1])
    assert.same({ "natural", "prefault", "touch,spin,touch" },
      { resolved[1].name, resolved[2].name, resolved[3].name })
    assert.equal(prefault, resolved[2].steps[1])
    assert.equal(3, #resolved[3].steps)
    assert.equal(touch, resolved[3].steps[1])
    assert.equal(spin, resolved[3].steps[2])
  end)

  it("may have spaces around its parts, which its name loses", function()
    local mode <const> = modes.resolve({ " prefault , spin " }, steps)[1]
    assert.equal("prefault,spin", mode.name)
    assert.equal(spin, mode.steps[2])
  end)

  it("named natural has no steps, unless a step bears that name", function()
    local natural <const> = { name = "natural", ops = {} }
    assert.equal(natural, modes.resolve({ "natural" }, { natural })[1].steps[1])
    assert.equal(natural, modes.resolve({ "spin,natural" }, { spin, natural })[1].steps[2])
    refuses({ "natural,spin" }, "mode 'natural,spin': 'natural' means no steps and stands alone")
  end)

  it("with an unknown part names the nearest step", function()
    refuses({ "prefualt,spin" },
      "unknown step 'prefualt' in mode 'prefualt,spin': did you mean 'prefault'?")
    refuses({ "natual" }, "unknown step 'natual' in mode 'natual': did you mean 'natural'?")
    refuses({ "collapse" }, "known are 'prefault', 'spin', 'touch', 'natural'")
  end)

  it("with an empty part is refused", function()
    for _, name in ipairs { "prefault,,spin", "prefault,", ",spin", " ", "," } do
      refuses({ name }, ("mode '%s' has an empty part"):format(name))
    end
    refuses({ "" }, "a mode's name must be a text that is not empty, not ''")
    refuses({ 7 }, "a mode's name must be a text that is not empty, not 7")
  end)

  it("given twice is refused, also when written with other spaces", function()
    refuses({ "prefault", "prefault" }, "mode 'prefault' is given twice")
    refuses({ "prefault, spin", "prefault,spin" }, "mode 'prefault,spin' is given twice")
    refuses({ "natural", "natural" }, "mode 'natural' is given twice")
    assert.equal(2, #modes.resolve({ "prefault,spin", "spin,prefault" }, steps))
  end)
end)

local fr <const> = require "frlua"
local told <const> = require "sessions".told

-- What a call of the library is told when the field in `text` is %s, by every value that is no
-- whole number from 1 on.
local function refuses_no_count(text, argument)
  local refused <const> = {
    ["3.5"] = "3.5", ["-1"] = "-1", ["0"] = "0", ["2^63"] = "9.2233720368548e+18", ["0/0"] = "nan",
    ["1/0"] = "inf", ["-1/0"] = "-inf", ["1 << 63"] = "-9223372036854775808", ["'many'"] = "'many'",
    ["{}"] = "a table",
  }
  for value, shown in pairs(refused) do
    local message <const> = told("\n" .. text:format(value))
    assert.equal(1, (message:find("user.lua:3: " .. argument .. " must be", 1, true)), message)
    assert.truthy(message:find(", not " .. shown, 1, true), message)
  end
end

-- The message, without the place, which is checked.
local function refusal(text)
  return (assert(told("\n" .. text):match "^user%.lua:3: (.*)$"))
end

describe("a count in a script", function()
  it("may be a whole float, or a text that Lua itself converts", function()
    for _, count in ipairs { 4096.0, 64 * 1024 * 1024 / 16384, 2.0 ^ 12, "4096" } do
      local phase <const> = fr.phase "p" { fr.write "b", iterations = count }
      assert.equal(4096, phase.iterations)
      assert.equal("integer", math.type(phase.iterations))
      assert.equal(4096, fr.metric "m" { at = count }.iteration)
    end
    assert.equal(512, fr.write { "b", every = 512.0 }.every)
  end)

  it("is refused by name, value and line when it is none", function()
    refuses_no_count("return fr.phase 'p' { fr.write 'b', iterations = %s }",
      "iterations in fr.phase 'p'")
    refuses_no_count("return fr.metric 'm' { at = %s }", "at in fr.metric 'm'")
    refuses_no_count("return fr.metric 'm' { faults_at = %s }", "faults_at in fr.metric 'm'")
    refuses_no_count("return fr.metric 'm' { median_from = %s }", "median_from in fr.metric 'm'")
  end)

  it("of iterations is refused where the size of the readings would wrap", function()
    assert.matches("^iterations in fr%.phase 'p' must be a whole number from 1 to %d+, not 2%d+$",
      refusal "fr.phase 'p' { fr.write 'b', iterations = 1 << 61 }")
  end)
end)

describe("a size in a script", function()
  local sizes <const> = {
    region = { "fr.region 'b' { bytes = %s }", "bytes in fr.region 'b'" },
    alignment = { "fr.region 'b' { bytes = 1, align = %s }", "align in fr.region 'b'" },
    eviction = { "fr.evict { bytes = %s }", "bytes in fr.evict" },
  }

  it("may be a whole float or a text in KiB, MiB, GiB or TiB", function()
    for text, bytes in pairs {
      [65536.0] = 65536, [64 * 1024 / 2] = 32768, ["4096"] = 4096, ["64 MiB"] = 67108864,
      ["64MiB"] = 67108864, ["1 TiB"] = 1099511627776, ["16 B"] = 16,
    } do
      assert.equal(bytes, fr.region "b" { bytes = text }.bytes)
      assert.equal(bytes, fr.evict { bytes = text }.amount)
      assert.equal("integer", math.type(fr.region "b" { bytes = text }.bytes))
    end
  end)

  it("is refused by name, value and line when it is none", function()
    for _, size in pairs(sizes) do refuses_no_count(size[1], size[2]) end
  end)

  it("with an unknown suffix is refused, with what was meant", function()
    for _, size in pairs(sizes) do
      for text, meant in pairs {
        ["64 MB"] = "64 MiB", ["64m"] = "64 MiB", ["1.5 MiB"] = "", ["-1 KiB"] = "", ["64  MiB"] =
        "64 MiB", [" 64"] = "", ["0 KiB"] = "", ["9999999999 TiB"] = "",
      } do
        local message <const> = refusal(size[1]:format("'" .. text .. "'"))
        assert.truthy(message:find(size[2] .. " must be a whole number of bytes", 1, true), message)
        assert.truthy(message:find("not '" .. text .. "'", 1, true), message)
        if meant ~= "" then
          assert.truthy(message:find(("did you mean '%s'?"):format(meant), 1, true), message)
        end
      end
    end
  end)

  it("of an alignment is a power of two", function()
    assert.equal("align in fr.region 'b' must be a power of two, not 12288",
      refusal "fr.region 'b' { bytes = 1, align = 12288 }")
    assert.equal(8192, fr.region "b" { bytes = 1, align = 8192.0 }.align)
  end)
end)

describe("a pause", function()
  it("is given in milliseconds, whole or not", function()
    assert.equal(300000000, fr.sleep { ms = 300 }.amount)
    assert.equal(1500000, fr.spin { ms = 1.5 }.amount)
    assert.equal(0, fr.spin { ms = 0 }.amount)
  end)

  it("is refused by name, value and line when it is none", function()
    for _, kind in ipairs { "sleep", "spin" } do
      for value, shown in pairs {
        ["-1"] = "-1", ["0/0"] = "nan", ["1/0"] = "inf", ["nil"] = "nil", ["'long'"] = "'long'",
        ["2^63"] = "9.2233720368548e+18",
      } do
        assert.equal(("ms in fr.%s must be a finite number from 0 to 1000000000, not %s"):format(
          kind, shown), refusal(("fr.%s { ms = %s }"):format(kind, value)))
      end
    end
  end)
end)

describe("a number that is stored", function()
  it("may be any whole number of 64 bits", function()
    local op <const> = fr.affine { to = "b", from = "a", mul = -3.0, add = math.mininteger }
    assert.same({ -3, math.mininteger }, { op.mul, op.add })
    assert.equal(-1, fr.write { "b", value = -1 }.value)
  end)

  it("is refused by name, value and line when it is none", function()
    for value, shown in pairs { ["0.5"] = "0.5", ["2^63"] = "9.2233720368548e+18", ["0/0"] = "nan",
      ["'x'"] = "'x'" } do
      local wanted <const> = " must be a whole number.*, not " .. shown:gsub("[.+]", "%%%0") .. "$"
      assert.matches("^mul in fr%.affine" .. wanted,
        refusal(("fr.affine { to = 'b', from = 'a', mul = %s }"):format(value)))
      assert.matches("^add in fr%.affine" .. wanted,
        refusal(("fr.affine { to = 'b', from = 'a', add = %s }"):format(value)))
      assert.matches("^value in fr%.write" .. wanted,
        refusal(("fr.write { 'b', value = %s }"):format(value)))
    end
  end)
end)

describe("a word of an experiment", function()
  it("names the nearest key for one that is unknown", function()
    local typos <const> = {
      ["fr.region 'b' { byte = 1 }"] = "unknown key 'byte' in fr.region 'b': did you mean 'bytes'?",
      ["fr.region 'b' { bytes = 1, fil = 'index' }"] =
        "unknown key 'fil' in fr.region 'b': did you mean 'fill'?",
      ["fr.write { 'b', evry = 'word' }"] =
        "unknown key 'evry' in fr.write: did you mean 'every'?",
      ["fr.evict { size = 1 }"] = "unknown key 'size' in fr.evict: known are 'bytes'",
      ["fr.sleep { msec = 1 }"] = "unknown key 'msec' in fr.sleep: known are 'ms'",
      ["fr.affine { too = 'b', from = 'a' }"] =
        "unknown key 'too' in fr.affine: did you mean 'to'?",
      ["fr.metric 'm' { median_form = 1 }"] =
        "unknown key 'median_form' in fr.metric 'm': did you mean 'median_from'?",
      ["fr.phase 'p' { fr.write 'b', iteration = 1 }"] =
        "unknown key 'iteration' in fr.phase 'p': did you mean 'iterations'?",
      ["fr.part 'p' { { 'a', 'm' }, les = { 'b', 'm' } }"] =
        "unknown key 'les' in fr.part 'p': did you mean 'less'?",
      ["fr.split 's' { hole = { 'a', 'm' } }"] =
        "unknown key 'hole' in fr.split 's': did you mean 'whole'?",
    }
    for text, message in pairs(typos) do assert.equal(message, refusal(text)) end
  end)

  it("names the nearest value for one that is unknown", function()
    local typos <const> = {
      ["fr.read { 'b', every = 'lin' }"] = "unknown every 'lin' in fr.read: did you mean 'line'?",
      ["fr.region 'b' { bytes = 1, fill = 'idex' }"] =
        "unknown fill 'idex' in fr.region 'b': did you mean 'index'?",
      ["fr.region 'b' { bytes = 1, advise = 'hugepages' }"] =
        "unknown advice 'hugepages' in fr.region 'b': did you mean 'hugepage'?",
      ["fr.experimnt 'x' {}"] =
        "unknown name 'experimnt' in the library frlua: did you mean 'experiment'?",
    }
    for text, message in pairs(typos) do assert.equal(message, refusal(text)) end
  end)

  it("lists every name of the library once for one that is near none", function()
    local message <const> = refusal "fr.write 'a' fr.zzzzzzzzzzzz()"
    local seen <const> = {}
    for name in message:match("known are (.*)$"):gmatch "'([^',]+)'" do
      assert.is_nil(seen[name], name)
      seen[name] = true
    end
    assert.is_true(seen.write and seen.machine and seen.KiB)
  end)

  it("takes no entry that it would pass over in silence", function()
    local surplus <const> = {
      ["fr.write { 'a', 'b' }"] = "entry 2 of fr.write is one too many: 'b'",
      ["fr.part 'p' { { 'a', 'm' }, { 'b', 'm' } }"] =
        "entry 2 of fr.part 'p' is one too many: a table",
      ["fr.part 'p' { { 'a', 'm', 'n' } }"] = "entry 3 of fr.part 'p' is one too many: 'n'",
      ["fr.region 'b' { 4096 }"] =
        "unknown key 1 in fr.region 'b': known are 'fill', 'chain', 'within', 'bytes', 'align',"
          .. " 'offset', 'advise', 'file', 'memfd', 'shared', 'read_only', 'huge', 'populate',"
          .. " 'lock'",
    }
    for text, message in pairs(surplus) do assert.equal(message, refusal(text)) end
  end)

  it("refuses entries of another kind, and holes that a misspelt variable leaves", function()
    local wrong <const> = {
      ["fr.step 's' { fr.region 'b' { bytes = 1 } }"] =
        "entry 1 of fr.step 's' is an fr.region: expected operations such as fr.write, or timed"
          .. " phases",
      ["fr.step 's' { 'write' }"] =
        "entry 1 of fr.step 's' is 'write': expected operations such as fr.write, or timed phases",
      ["fr.step 's' { fr.write 'b', writ, fr.write 'b' }"] = "entry 2 of fr.step 's' is nil",
      ["fr.step 's' {}"] = "fr.step 's' has no operations",
      ["fr.phase 'p' {}"] = "fr.phase 'p' has no operations",
      ["fr.arm 'a' {}"] = "fr.arm 'a' has no phases, no layout and no command",
      ["fr.arm 'a' { fr.write 'b' }"] =
        "entry 1 of fr.arm 'a' is an fr.op: expected phases such as fr.phase 'first' { … }",
      ["fr.split 's' { whole = { 'a', 'm' } }"] = "fr.split 's' has no parts",
      ["fr.modes {}"] = "fr.modes names no mode",
      ["fr.modes 'natural'"] = "fr.modes must be given a table, not 'natural'",
      ["fr.region 'b' (4096)"] = "fr.region 'b' must be given a table, not 4096",
    }
    for text, message in pairs(wrong) do assert.equal(message, refusal(text)) end
  end)

  it("needs a name that is a text", function()
    for _, kind in ipairs { "region", "step", "phase", "arm", "metric", "part", "split",
      "experiment" } do
      assert.equal(("the name of fr.%s must be a text that is not empty, not 7"):format(kind),
        refusal(("fr.%s(7) {}"):format(kind)))
      assert.equal(("the name of fr.%s must be a text that is not empty, not ''"):format(kind),
        refusal(("fr.%s '' {}"):format(kind)))
    end
    assert.equal("the region of fr.write must be a text that is not empty, not nil",
      refusal "fr.write {}")
  end)

  it("is told of at the line of its name, also when it is the last word of the script", function()
    for _, text in ipairs { "fr.region 'b' {\nbytes = 0 }", "fr.metric 'm' {\nat = 0 }",
      "fr.phase 'p' {\nfr.write 'b', iterations = 0 }" } do
      assert.matches("^user%.lua:2: ", told("return " .. text))
      assert.matches("^user%.lua:2: ", told("local unused = " .. text))
    end
  end)
end)

describe("a metric", function()
  it("has one source, and its unit", function()
    assert.same({ kind = "metric", name = "m", source = "at", iteration = 2, unit = "ns" },
      fr.metric "m" { at = 2 })
    assert.equal("faults", fr.metric "m" { faults_at = 1 }.unit)
    assert.equal("ns", fr.metric "m" { median_from = 1 }.unit)
    assert.equal("fr.metric 'm' needs a phase, or one of at, faults_at, major_faults_at,"
      .. " median_from", refusal "fr.metric 'm' {}")
    assert.equal("fr.metric 'm' has both at and median_from: one is meant",
      refusal "fr.metric 'm' { at = 1, median_from = 2 }")
  end)

  it("has a name that can be a key of the result", function()
    for _, name in ipairs { "a b", "1st", "\xff", "a\n", "a-b" } do
      assert.matches("is a key of results: its name is a letter, then letters, digits and '_'",
        refusal(("fr.metric %q { at = 1 }"):format(name):gsub("\\\n", "\\n")), 1, true)
    end
    assert.equal("fr.metric 'a_ns' ends in what results themselves put behind a name",
      refusal "fr.metric 'a_ns' { at = 1 }")
    assert.equal("fr.metric 'a_why' ends in what results themselves put behind a name",
      refusal "fr.metric 'a_why' { faults_at = 1 }")
    assert.equal("fr.metric 'process': that is the time of the whole process, which every"
      .. " experiment has", refusal "fr.metric 'process' { at = 1 }")
  end)
end)

describe("an eviction", function()
  it("says how many bytes it goes through, also when it was not told", function()
    assert.equal((fr.machine.evict_bytes()), fr.evict().amount)
    assert.equal((fr.machine.evict_bytes()), fr.evict {}.amount)
    assert.equal(1 << 20, fr.evict { bytes = "1 MiB" }.amount)
  end)
end)

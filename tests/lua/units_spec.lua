local units <const> = require "frlua.units"

describe("bytes for people", function()
  it("have the factor 1024 and are exact where they can be", function()
    local written <const> = {
      [0] = "0 B", [1] = "1 B", [1000] = "1000 B", [1023] = "1023 B", [1024] = "1 KiB",
      [524288] = "512 KiB", [67108864] = "64 MiB", [64.0 * 1024 * 1024] = "64 MiB",
      [1 << 30] = "1 GiB", [5 << 40] = "5 TiB", [5000 << 40] = "5000 TiB",
    }
    for bytes, text in pairs(written) do assert.equal(text, units.bytes(bytes)) end
  end)

  it("have one decimal where they are rounded", function()
    assert.equal("1.5 KiB", units.bytes(1536))
    assert.equal("64.0 MiB", units.bytes(67108864 + 4096))
    assert.equal("1.0 MiB", units.bytes((1 << 20) - 1)) -- not 1024.0 KiB
    assert.equal("-1.5 KiB", units.bytes(-1536))
    assert.equal("512.5 B", units.bytes(512.5))
  end)
end)

describe("durations for people", function()
  it("stay in one unit up to 999999", function()
    assert.equal("999999 ns", units.ns(999999))
    assert.equal("1000.0 µs", units.ns(1000000))
    assert.equal("1650.0 µs", units.ns(1650000))
    assert.equal("1500.0 ms", units.ns(1500000000))
    assert.equal("3600.0 s", units.ns(3600 * 1000000000))
  end)

  it("of one column share the unit of the largest", function()
    assert.same({ name = "ns", divisor = 1, digits = 0 }, units.scale { 12374, 999999 })
    local scale <const> = units.scale { 12374, 1650000, 999999 }
    assert.same({ name = "µs", divisor = 1000, digits = 1 }, scale)
    assert.equal("12.4", units.scaled(12374, scale))
    assert.equal("1000.0 µs", units.ns(999999, scale))
    assert.same({ name = "µs", divisor = 1000, digits = 1 }, units.scale { -1650000, 10 })
    assert.equal("ns", units.scale({}).name)
  end)

  it("in nanoseconds show a fraction only where there is one", function()
    assert.equal("501 ns", units.ns(501.0))
    assert.equal("501.5 ns", units.ns(501.5))
    assert.equal("4.52 ns", units.ns(4.5201))
    assert.equal("0 ns", units.ns(0))
  end)
end)

describe("a count", function()
  it("shows no .0 after a division", function()
    assert.equal("16384", units.count(64 * 1024 * 1024 / 4096))
    assert.equal("9223372036854775807", units.count(math.maxinteger))
    assert.equal("3.5", units.count(3.5))
    assert.equal("-2", units.count(-2.0))
  end)
end)

describe("the decimal point", function()
  it("stands between the digits asked for", function()
    assert.equal("2.50", units.fixed(2.5, 2))
    assert.equal("3", units.fixed(2.75, 0))
    assert.equal("-0.3", units.fixed(-0.25 - 0.01, 1))
    assert.equal("1.5e+300", units.number(1.5e300))
    assert.equal("1e+20", units.number(1e20))
  end)

  it("stays a point in a locale with a comma", function()
    local before <const> = os.setlocale(nil, "numeric")
    local comma = false
    for _, name in ipairs { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR" } do
      comma = comma or os.setlocale(name, "numeric")
    end
    if not comma then return pending "no locale with a decimal comma is installed" end
    finally(function() os.setlocale(before, "numeric") end)

    assert.equal("2,5", ("%.1f"):format(2.5)) -- the locale is what the test supposes
    assert.equal("2.5", units.fixed(2.5, 1))
    assert.equal("-0.25", units.number(-0.25))
    assert.equal("1.5e+300", units.number(1.5e300))
    assert.equal("4096.0", units.number(4096.0))
    assert.equal("1.5 KiB", units.bytes(1536))
    assert.equal("1000.0 µs", units.ns(1000000))
    assert.equal("3.5", units.count(3.5))
  end)
end)

local kernel <const> = require "frlua.kernel"
local tree <const> = dofile "tests/lua/data/tree.lua"

describe("a file of the kernel", function()
  local sys

  before_each(function()
    sys = tree.new {
      ["a/line"] = "  two words ", ["a/number"] = "-12", ["a/big"] = "9223372036854775808",
      ["a/text"] = "12 apples", ["a/empty"] = "", ["b10/x"] = "1", ["b9/x"] = "2", ["b9/y"] = "3",
    }
    kernel.read_from { sys = sys.path }
  end)

  after_each(function()
    kernel.read_from {}
    getmetatable(sys).__close(sys)
  end)

  it("is read as a whole, as a line, or as a whole number", function()
    assert.equal("  two words \n", kernel.text "/sys/a/line")
    assert.equal("two words", kernel.line "/sys/a/line")
    assert.equal(-12, kernel.whole "/sys/a/number")
  end)

  it("that holds something else is unknown, and the message shows it", function()
    for path, message in pairs {
      ["/sys/a/text"] = "/a/text' holds '12 apples', no whole number",
      ["/sys/a/big"] = "/a/big' holds '9223372036854775808', no whole number",
      ["/sys/a/empty"] = "/a/empty' is empty",
      ["/sys/a/none"] = "/a/none': No such file or directory",
    } do
      local number <const>, told <const> = kernel.whole(path)
      assert.is_nil(number)
      assert.matches(sys.path .. message, told, 1, true)
    end
  end)

  it("is found by a pattern, under the name that it is asked for by", function()
    assert.same({ "/sys/b10/x", "/sys/b9/x" }, kernel.matching "/sys/b*/x")
    assert.same({}, kernel.matching "/sys/c*/x")
  end)

  it("is that of the mount that was exchanged, and of no other", function()
    assert.is_nil((kernel.text "/sys/devices/system/cpu/online"))
    assert.matches("^cpu", kernel.text "/proc/stat")
    assert.equal("/systems/file", kernel.path "/systems/file")
  end)
end)

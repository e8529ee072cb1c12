local fr <const> = require "frlua"
local sessions <const> = require "sessions"

local exactly <const>, told <const> = sessions.exactly, sessions.told
local page <const>, line <const> = fr.machine.page_bytes, fr.machine.line_bytes

-- A region of base pages only, whatever the machine's policy is.
local function map(pages)
  return assert(fr.map { bytes = pages * page, advise = "nohugepage" })
end

local function sum_to(n) return n * (n - 1) // 2 end

describe("fr.map", function()
  it("maps what was asked for, in whole pages, and makes nothing resident", function()
    local m <close> = assert(fr.map { bytes = 3 * page + 1 })
    assert.equal(3 * page + 1, m.bytes)
    assert.equal(4, m.pages)
    assert.equal(0, m.address % page)
    assert.equal(0, m:smaps().Rss)
  end)

  it("takes whole floats and texts for sizes", function()
    local by_float <close> = assert(fr.map { bytes = 64 * 1024 / 2 })
    assert.equal(32768, by_float.bytes)
    local by_text <close> = assert(fr.map { bytes = "32 KiB", align = "2 MiB" })
    assert.equal(32768, by_text.bytes)
    assert.equal(0, by_text.address % (2 << 20))
  end)

  it("refuses sizes that are none, by their name and value", function()
    local sizes <const> = { "3.5", "-1", "0", "2^63", "0/0", "1/0", "1 << 63", "'64 MB'", "nil" }
    for _, size in ipairs(sizes) do
      assert.matches("^user%.lua:3: bytes of fr%.map must be a whole number of bytes",
        told("\nfr.map { bytes = " .. size .. " }"))
    end
    assert.matches("^user%.lua:2: align of fr%.map must be a power of two, not 12288",
      told "fr.map { bytes = 1, align = 12288 }")
  end)

  it("names the key, or the advice, that was meant", function()
    assert.matches("^user%.lua:2: unknown key 'byte' in fr%.map: did you mean 'bytes'%?",
      told "fr.map { byte = 1 }")
    assert.matches("^user%.lua:2: unknown advice 'hugpage' in fr%.map: did you mean 'hugepage'%?",
      told "fr.map { bytes = 1, advise = 'hugpage' }")
  end)

  it("returns nil, the size in words and the error, when there is not enough", function()
    local m <const>, message <const>, errno <const> = fr.map { bytes = 1 << 62 }
    assert.is_nil(m)
    assert.equal("cannot map 4194304 TiB: Cannot allocate memory (ENOMEM)", message)
    assert.equal(require "posix.errno".ENOMEM, errno)
    assert.is_nil((fr.map { bytes = math.maxinteger, align = 1 << 62 })) -- together, more than 2^63
  end)

  it("gives the memory back when the kernel refuses the advice", function()
    local m <const>, message <const> = fr.map { bytes = page, advise = "remove" }
    assert.is_nil(m)
    assert.matches("^cannot advise 'remove': Invalid argument %(EINVAL%): ", message)
  end)
end)

describe("writing and reading a region", function()
  it("takes one minor fault a page the first time, none the second", function()
    exactly({ 64, 0, 0, 0 }, function()
      local m <close> = map(64)
      local first <const>, second <const> = m:write(), m:write()
      return { first.minor_faults, first.major_faults, second.minor_faults, second.major_faults }
    end)
  end)

  it("takes time, in whole nanoseconds", function()
    local m <close> = map(64)
    local ns <const> = m:write().ns
    assert.equal("integer", math.type(ns))
    assert.is_true(ns > 0)
  end)

  it("faults twice on pages that were read before they were written", function()
    exactly({ 16, 16 }, function()
      local m <close> = map(16)
      return { m:read().minor_faults, m:write().minor_faults } -- reading maps a page of zeros
    end)
  end)

  it("accesses one byte a page, a line, or so many bytes, or every word", function()
    local m <close> = map(4)
    assert.equal(4, m:write().accesses)
    assert.equal(4, m:write("page").accesses)
    assert.equal(4 * page // line, m:write("line").accesses)
    assert.equal(4 * page // 8, m:write({ every = "word" }).accesses)
    assert.equal(4 * page // 256, m:read(256).accesses)
    assert.equal(4 * page, m:read(1).accesses)
    assert.equal(1, m:read(1 << 62).accesses)
  end)

  it("counts a last page that is not whole, and only whole words", function()
    exactly({ 2, 2, page // 8 + 1 }, function()
      local m <close> = assert(fr.map { bytes = page + 9, advise = "nohugepage" })
      local written <const> = m:write()
      return { written.minor_faults, written.accesses, m:read("word").accesses }
    end)
  end)

  it("touches what it says: the sum of what is read shows what was written", function()
    local m <close> = map(2)
    local words <const> = m.bytes // 8
    m:fill()
    assert.equal(sum_to(words), m:read("word").sum)
    m:write { every = "word", value = 7 }
    assert.equal(7 * words, m:read("word").sum)
    m:write { every = "word", value = 0 }
    m:write { every = "line", value = 3 }
    assert.equal(3 * m.bytes // line, m:read("line").sum)
    assert.equal(3 * m.bytes // line, m:read(1).sum)
    m:write() -- value 1
    assert.equal(2, m:read("page").sum)
  end)

  it("leaves nothing to fault after fill", function()
    exactly({ 8 * page, 0 }, function()
      local m <close> = map(8)
      m:fill()
      return { m:smaps().Rss, m:write("word").minor_faults }
    end)
  end)

  it("refuses strides and keys that are none, at the script's line", function()
    local m <close> = map(1)
    assert.matches("^user%.lua:2: unknown every 'wrod' in fr%.write: did you mean 'word'%?",
      told("a:write 'wrod'", m))
    assert.matches("^user%.lua:3: unknown key 'value' in region:read",
      told("\na:read { value = 1 }", m))
    assert.matches("^user%.lua:2: every in fr%.read must be a whole number of at least 1, not 0",
      told("a:read(0)", m))
    assert.matches("^user%.lua:2: value in fr%.write must be a whole number, not 1%.5",
      told("a:write { value = 1.5 }", m))
    assert.matches("^user%.lua:2: region:write is called on a region, as in m:write%(%), "
      .. "not on nil", told("a.write()", m))
  end)
end)

describe("evicting", function()
  it("goes through as much other memory as the caches may hold, or as was asked for", function()
    local m <close> = map(1)
    assert.equal(fr.machine.evict_bytes(), m:evict().bytes)
    exactly({ 1 << 20, 0 }, function() -- no faults: the memory stays mapped
      local evicted <const> = m:evict { bytes = "1 MiB" }
      return { evicted.bytes, evicted.minor_faults }
    end)
    assert.equal(0, m:smaps().Rss) -- the region itself is not touched
  end)

  it("returns nil, message and error when there is not enough memory", function()
    local m <close> = map(1)
    local evicted <const>, message <const>, errno <const> = m:evict { bytes = 1 << 62 }
    assert.is_nil(evicted)
    assert.matches("evict buffer", message)
    assert.equal(require "posix.errno".ENOMEM, errno)
    assert.equal(1 << 20, m:evict({ bytes = "1 MiB" }).bytes) -- and goes on
  end)
end)

describe("advising", function()
  it("says true when the kernel took it", function()
    exactly({ true, 4 }, function()
      local m <close> = map(4)
      m:write()
      return { m:advise "dontneed", m:write().minor_faults }
    end)
  end)

  it("returns nil and the error's name and meaning when the kernel refuses", function()
    local m <close> = map(1)
    local advised <const>, message <const>, errno <const> = m:advise "remove"
    assert.is_nil(advised)
    assert.matches("^cannot advise 'remove': Invalid argument %(EINVAL%): this kernel ", message)
    assert.equal(require "posix.errno".EINVAL, errno)
  end)

  it("names the advice that was meant", function()
    local m <close> = map(1)
    assert.matches("^user%.lua:2: unknown advice 'nohugpage' in region:advise: "
      .. "did you mean 'nohugepage'%?", told("a:advise 'nohugpage'", m))
  end)
end)

describe("a region's end", function()
  it("comes with close, as often as one likes, and with the end of its scope", function()
    local m <const> = map(1)
    m:close()
    m:close()
    local kept
    do
      local scoped <close> = map(1)
      kept = scoped
    end
    assert.matches("^user%.lua:2: region:write: the region is closed", told("a:write()", kept))
  end)

  it("makes every other use an error that says so, at the script's line", function()
    local m <const> = map(1)
    m:close()
    for _, use in ipairs { "write()", "read()", "fill()", "smaps()", "evict()", "advise 'cold'" } do
      assert.matches("^user%.lua:3: region:%l+: the region is closed", told("\na:" .. use, m))
    end
    for _, field in ipairs { "bytes", "pages", "address" } do
      assert.matches("^user%.lua:2: the region is closed", told("return a." .. field, m))
    end
  end)

  it("returns its memory to the system", function()
    local m <const> = map(1)
    local address <const> = m.address
    m:close()
    assert.is_nil((require "frlua.smaps".of_range(address, page)))
  end)

  it("leaves fields that a region has not nil", function()
    local m <close> = map(1)
    assert.is_nil(m.size)
    assert.is_nil(m[1])
  end)
end)

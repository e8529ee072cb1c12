local core <const> = require "frlua.core"
local trace <const> = require "frlua.trace"

-- A trace as frlua.core gives it. Faults: { time, address, code address, kind }.
local function raw(faults, mappings, fields)
  local made <const> = { mappings = mappings or {}, gaps = {}, lost = 0, kernel_excluded = false }
  for column, name in ipairs { "time_ns", "address", "code", "kind" } do
    local values <const> = {}
    for index, fault in ipairs(faults) do values[index] = fault[column] or 0 end
    made[name] = core.series(values)
  end
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

local function mapping(time_ns, from, to, perms, path)
  return { time_ns = time_ns, from = from, to = to, perms = perms, path = path }
end

local function account(given, fields)
  local window <const> = { from_ns = 0, to_ns = 1000 }
  for key, value in pairs(fields or {}) do window[key] = value end
  return trace.account(given, window)
end

-- The name of the one mapping that a fault at an address fell in.
local function name_at(address, mappings)
  return account(raw({ { 100, address, 0 } }, mappings)).by_mapping[1].mapping
end

describe("the mapping of a fault", function()
  it("is named by what it is of, and what that is for", function()
    local mappings <const> = {
      mapping(1, 0x1000, 0x2000, "r--", "/usr/lib/x86_64-linux-gnu/libc.so.6"),
      mapping(1, 0x2000, 0x3000, "r-x", "/usr/lib/libstdc++.so.6.0.30"),
      mapping(1, 0x3000, 0x4000, "rw-", "/home/user/a.out (deleted)"),
      mapping(1, 0x5000, 0x6000, "rw-", "//anon"),
      mapping(1, 0x6000, 0x7000, "rw-", "[stack]"),
      mapping(1, 0x7000, 0x8000, "r--", "[vvar]"),
      mapping(1, 0x8000, 0x9000, "r-x", "/opt/program"),
    }
    local names <const> = {}
    for index, one in ipairs(mappings) do names[index] = name_at(one.from + 5, mappings) end
    assert.same({ "libc read-only data", "libstdc++ text", "a.out data", "anonymous memory",
      "stack", "vvar", "program text" }, names)
    assert.equal("unknown mapping", name_at(0x9000, mappings))
  end)

  it("is the bss of a file where memory begins at the end of the file's data", function()
    local data <const> = mapping(1, 0x1000, 0x2000, "rw-", "/lib/libc.so.6")
    assert.equal("libc bss", name_at(0x2008, { data, mapping(1, 0x2000, 0x3000, "rw-", "//anon") }))
    assert.equal("anonymous memory",
      name_at(0x3008, { data, mapping(1, 0x3000, 0x4000, "rw-", "//anon") }))
  end)

  it("is the one that was there at that time", function()
    local mappings <const> = {
      mapping(10, 0x1000, 0x5000, "r--", "/lib/a.so"),
      mapping(20, 0x2000, 0x3000, "r-x", "/lib/a.so"),
      mapping(40, 0x2000, 0x3000, "rw-", "//anon"),
    }
    local found <const> = account(raw({
      { 5, 0x2000, 0 }, { 15, 0x2000, 0 }, { 25, 0x2000, 0 }, { 30, 0x4000, 0 }, { 45, 0x2000, 0 },
    }, mappings)).faults
    local names <const> = {}
    for index, fault in ipairs(found) do names[index] = fault.mapping end
    assert.same({ "unknown mapping", "a read-only data", "a text", "a read-only data",
      "anonymous memory" }, names)
  end)

  it("is a region's name, to the end of its last page, whatever else lies there", function()
    local page <const> = require "frlua.machine".page_bytes
    local found <const> = account(raw({ { 1, 0 }, { 2, page - 1 }, { 3, page } },
      { mapping(0, 0, 4 * page, "rw-", "//anon") }),
      { regions = { { name = "output", address = 0, bytes = 10 } } })
    assert.same({ { mapping = "output", count = 2 }, { mapping = "anonymous memory", count = 1 } },
      found.by_mapping)
  end)

  it("is told by unsigned addresses, also those of the kernel's half", function()
    assert.equal("vsyscall",
      name_at(-0xa00000, { mapping(1, -0xa00000, -0x9ff000, "--x", "[vsyscall]") }))
  end)
end)

describe("an account of faults", function()
  it("has those of its time only, and the largest counts first", function()
    local mappings <const> = {
      mapping(0, 0x1000, 0x2000, "rw-", "[heap]"), mapping(0, 0x2000, 0x3000, "rw-", "[stack]"),
      mapping(0, 0x3000, 0x4000, "r-x", "/lib/libc.so.6"),
    }
    local found <const> = account(raw({
      { 9, 0x1000, 0x3000 }, { 10, 0x1000, 0x3000 }, { 11, 0x2000, 0x3000 }, { 12, 0x2000, -1, 2 },
      { 20, 0x2000, 0x3000 }, { 21, 0x1000, 0x3000 },
    }, mappings), { from_ns = 10, to_ns = 20, total = 4 })
    assert.same({ { mapping = "stack", count = 3 }, { mapping = "heap", count = 1 } },
      found.by_mapping)
    assert.same({ { code = "libc text", count = 3 }, { code = "kernel", count = 1 } },
      found.by_code)
    assert.same({ 4, 0, 0 }, { found.total, found.in_kernel, found.lost })
  end)

  it("joins faults of the same code in equal steps, and keeps the others apart", function()
    local faults <const> = account(raw {
      { 1, 100, 7 }, { 2, 200, 7 }, { 3, 300, 7 }, { 4, 350, 7 }, { 5, 400, 7 }, { 6, 450, 8 },
      { 7, 500, 8, 1 },
    }).faults
    local short <const> = {}
    for index, run in ipairs(faults) do
      short[index] = { run.address, run.count, run.step, run.code_address, run.major }
    end
    assert.same({ { 100, 3, 100, 7, false }, { 350, 2, 50, 7, false }, { 450, 1, 0, 8, false },
      { 500, 1, 0, 8, true } }, short)
  end)

  it("says that the rest was made inside the kernel", function()
    assert.equal(3, account(raw { { 1, 1, 1 } }, { total = 4 }).in_kernel)
  end)

  it("says that it was lost as far as records were lost in its time", function()
    local faults <const> = { { 100, 1 }, { 200, 1 }, { 300, 1 } }
    local gaps <const> = { { from_ns = 100, to_ns = 200, lost = 5 } }
    local given <const> = raw(faults, {}, { gaps = gaps, lost = 5 })
    local whole <const> = account(given, { total = 10 })
    assert.same({ 5, 2 }, { whole.lost, whole.in_kernel })
    local during <const> = account(given, { from_ns = 120, to_ns = 180, total = 4 })
    assert.same({ 4, 0 }, { during.lost, during.in_kernel })
    local later <const> = account(given, { from_ns = 201, total = 4 })
    assert.same({ 0, 3 }, { later.lost, later.in_kernel })
  end)

  it("counts those that were lost behind the last record, of which no record tells", function()
    local given <const> = raw({ { 100, 1 } }, {}, { lost = 6 })
    assert.same({ 6, 1 }, { account(given, { total = 8 }).lost,
      account(given, { total = 8 }).in_kernel })
    assert.equal(0, account(given, { to_ns = 99, total = 2 }).lost)
  end)

  it("knows nothing of the kernel without a count, or with one that is too small", function()
    local without <const> = account(raw { { 1, 1 } }, { total_why = "nobody counted" })
    assert.same({ nil, nil, "nobody counted" },
      { without.total, without.in_kernel, without.in_kernel_why })
    local small <const> = account(raw { { 1, 1 }, { 2, 9 } }, { total = 1 })
    assert.is_nil(small.in_kernel)
    assert.equal("1 more faults have a record than were counted", small.in_kernel_why)
  end)
end)

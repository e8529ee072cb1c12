local core <const> = require "frlua.core"
local fr <const> = require "frlua"
local json <const> = require "frlua.json"
local sessions <const> = require "sessions"

local page <const> = fr.machine.page_bytes
local KINDS <const> = core.root .. "/tests/oracle/fault_kinds"
local AS_USER <const> = "setpriv --reuid 65534 --regid 65534 --clear-groups "
-- Under strace the leaks that a sanitizer may look for can't be looked for.
local REFUSED <const> = "env ASAN_OPTIONS=detect_leaks=0 "
  .. "strace -f -o strace.out -e inject=perf_event_open:error=EACCES "

setup(function()
  sessions.open()
  assert(os.execute("chmod 777 " .. sessions.directory))
end)
teardown(sessions.close)

-- Whether this process may trace faults at all; a sanitizer's memory faults along with the host's.
local function can_trace()
  local m <close> = assert(fr.map { bytes = page })
  return m:faults_by_mapping() ~= nil
end

local function can_be_user()
  return os.execute(AS_USER .. "test -x " .. sessions.host .. " 2>/dev/null")
end

local function is_sanitized() return os.getenv "FRLUA_SANITIZE" == "1" end

local function map(pages)
  return assert(fr.map { bytes = pages * page, advise = "nohugepage" })
end

local function count_of(account, name)
  for _, item in ipairs(account.by_mapping) do
    if item.mapping == name then return item.count end
  end
  return 0
end

local function sum_of(account)
  local sum = account.in_kernel + account.lost
  for _, item in ipairs(account.by_mapping) do sum = sum + item.count end
  return sum
end

describe("region:faults_by_mapping", function()
  it("finds every fault of a first write in the region, and none in a second one", function()
    if not can_trace() then return pending "faults can't be traced here" end
    sessions.exactly({ { { mapping = "region", count = 64 } }, 64, 0, 0, {}, 0 }, function()
      local m <close> = map(64)
      local first <const>, second <const> = m:faults_by_mapping(), m:faults_by_mapping "read"
      return { first.by_mapping, first.total, first.in_kernel, first.lost, second.by_mapping,
        second.total }
    end)
  end)

  it("gives the addresses and the code of the faults", function()
    if is_sanitized() then return pending "a sanitizer's own memory faults in between" end
    if not can_trace() then return pending "faults can't be traced here" end
    local m <close> = map(16)
    local faults <const> = m:faults_by_mapping({ every = "line", value = 7 }).faults
    assert.same({ m.address, 16, page, "region", false }, { faults[1].address, faults[1].count,
      faults[1].step, faults[1].mapping, faults[1].major })
    assert.equal("frlua text", faults[1].code)
    assert.equal(7, m:read("line").sum * fr.machine.line_bytes // m.bytes)
  end)

  it("traces what a function does, with what the kernel itself faults in", function()
    if not can_trace() then return pending "faults can't be traced here" end
    local m <close> = map(64)
    if not m:advise "populate_write" then return pending "this kernel can't populate" end
    m:advise "dontneed"
    local populated <const> = m:faults_by_mapping(function() m:advise "populate_write" end)
    assert.is_true(populated.in_kernel >= 64)
    assert.equal(0, count_of(populated, "region"))
    assert.equal(populated.total, sum_of(populated))
  end)

  it("hands an error of the function on", function()
    local m <close> = map(1)
    assert.matches("^user%.lua:2: broken",
      sessions.told("a:faults_by_mapping(function() error 'broken' end)", m))
  end)

  it("refuses what is no pass", function()
    local m <close> = map(1)
    assert.matches("^user%.lua:2: unknown pass 'raed' in region:faults_by_mapping: did you mean "
      .. "'read'%?", sessions.told("a:faults_by_mapping 'raed'", m))
    assert.matches("^user%.lua:2: unknown key 'evry' in region:faults_by_mapping",
      sessions.told("a:faults_by_mapping { evry = 'line' }", m))
  end)

  it("returns nil and the reason where the kernel refuses, and makes the pass nevertheless",
    function()
      local child <const> = sessions.run(REFUSED .. '"$1" "$2"', [[
        local m = fr.map { bytes = 64 * fr.machine.page_bytes, advise = "nohugepage" }
        print(m:faults_by_mapping())
        print(m:write().minor_faults)
        local child = fr.spawn { "echo", "it ran", faults = true }
        print(child.stdout, child.faults, child.faults_why)
      ]])
      assert.equal(0, child.exit_status)
      local why <const> = "perf_event_open: Permission denied (EACCES)"
      assert.truthy(child.stdout:find("nil\t" .. why, 1, true))
      assert.truthy(child.stdout:find("\n0\nit ran\n\tnil\t" .. why, 1, true))
    end)
end)

-- What fault_kinds printed of each kind, with the account of its faults.
local function accounts(child, pages)
  local kinds <const> = {}
  for name, numbers in child.stdout:gmatch "(%l+) ([%d ]+)" do
    local address <const>, from_ns <const>, before <const>, to_ns <const>, after <const> =
      numbers:match "(%d+) (%d+) (%d+) (%d+) (%d+)"
    kinds[name] = child.faults:within {
      from_ns = tonumber(from_ns), to_ns = tonumber(to_ns),
      total = tonumber(after) - tonumber(before),
      regions = { { name = "memory", address = tonumber(address), bytes = pages * page } },
    }
  end
  return kinds
end

-- In this process, or as an ordinary user in a host of its own: prints what the test asserts.
local SUMS <const> = [[
  local page, pages = fr.machine.page_bytes, 8
  local child = assert(fr.spawn { arg[1], pages, faults = true })
  if not child.faults then return print("unknown: " .. child.faults_why) end
  for name, numbers in child.stdout:gmatch "(%l+) ([%d ]+)" do
    local n = {}
    for digits in numbers:gmatch "%d+" do n[#n + 1] = math.tointeger(digits) end
    local a = child.faults:within { from_ns = n[2], to_ns = n[4], total = n[5] - n[3],
      regions = { { name = "memory", address = n[1], bytes = pages * page } } }
    print(name, a.total, a.by_mapping[1] and a.by_mapping[1].mapping or "-",
      a.by_mapping[1] and a.by_mapping[1].count or 0, a.in_kernel, a.lost)
  end
]]

describe("fr.spawn { faults = true }", function()
  it("accounts for every fault of a program from its exec to its end", function()
    if not can_trace() then return pending "faults can't be traced here" end
    local child <const> = assert(fr.spawn { "true", faults = true })
    local faults <const> = child.faults
    assert.equal(faults.total, sum_of(faults))
    assert.equal(0, faults.lost)
    assert.equal(0, faults.other_threads)
    assert.is_true(count_of(faults, "stack") > 0)
    assert.is_true(#faults.by_code > 0)
  end)

  it("is not there when nobody asked", function()
    local child <const> = assert(fr.spawn { "true" })
    assert.same({}, { child.faults, child.faults_why })
  end)

  it("tells writes from what the kernel faults in by itself, and the sum is right", function()
    if not can_trace() then return pending "faults can't be traced here" end
    sessions.exactly({ { "memory", 8, 0 }, 8, 8, 8 }, function()
      local child <const> = assert(fr.spawn { KINDS, 8, faults = true })
      local kinds <const> = accounts(child, 8)
      for _, account in pairs(kinds) do assert.equal(account.total, sum_of(account)) end
      local write <const>, read <const> = kinds.write, kinds.read
      return { { write.by_mapping[1].mapping, write.by_mapping[1].count, write.in_kernel },
        kinds.populate and kinds.populate.in_kernel or 8, kinds.mlock.in_kernel,
        read.kernel_excluded and read.in_kernel or count_of(read, "memory") }
    end)
  end)

  it("does the same for an ordinary user, or says why not", function()
    if not can_be_user() then return pending "no ordinary user can be had here" end
    local child <const> = sessions.run(AS_USER .. '"$1" "$2" "$3"', SUMS, KINDS)
    assert.equal(0, child.exit_status)
    if child.stdout:find "^unknown: perf_event_open: " then return end
    assert.truthy(child.stdout:find("write\t8\tmemory\t8\t0\t0\n", 1, true))
    for name, total, _, by_mapping, in_kernel, lost in
      child.stdout:gmatch "(%l+)\t(%d+)\t(%S+)\t(%d+)\t(%d+)\t(%d+)" do
      assert.equal(tonumber(total), by_mapping + in_kernel + lost, name)
    end
  end)

  it("drains an ordinary user's buffer while it fills: more comes than any holds", function()
    if not can_trace() or not can_be_user() then return pending "no trace for ordinary users" end
    local pages <const> = 512 * fr.MiB // page
    local child <const> = sessions.run(AS_USER .. '"$1" "$2" "$3"', [[
      local function largest(account)
        local item = account.by_mapping[1]
        print(item.mapping, item.count, account.lost, account.in_kernel)
      end
      local m = assert(fr.map { bytes = "512 MiB", advise = "nohugepage" })
      local a, why = m:faults_by_mapping()
      if not a then return print("unknown: " .. why) end
      largest(a)
      local line = "require 'frlua'.map { bytes = '512 MiB', advise = 'nohugepage' }:write()"
      largest(fr.spawn { arg[1], "-e", line, faults = true }.faults)
    ]], sessions.host)
    if child.stdout:find "^unknown: " then return end
    local largest_buffer <const>, record_bytes <const> = 4 * fr.MiB, 40
    local written = 0
    for name, count, lost in child.stdout:gmatch "([%l ]+)\t(%d+)\t(%d+)\t%d+\n" do
      written = written + 1
      assert.equal(written == 1 and "region" or "anonymous memory", name)
      assert.is_true(tonumber(count) > largest_buffer // record_bytes, child.stdout)
      assert.is_true(count + lost >= pages, child.stdout)
    end
    assert.equal(2, written, child.stdout .. child.stderr)
  end)

  it("counts what was lost while nobody could drain the buffer, and the sum is right", function()
    if not can_trace() then return pending "faults can't be traced here" end
    local pages <const> = 512 * fr.MiB // page
    local child <const> = sessions.run('"$1" "$2" "$3"', ([[
      local child = assert(fr.spawn { arg[1], %d, "stop", faults = true })
      local n = {}
      for digits in child.stdout:gmatch "%%d+" do n[#n + 1] = math.tointeger(digits) end
      local a = child.faults:within { from_ns = n[2], to_ns = n[4], total = n[5] - n[3] }
      local sum = 0
      for _, item in ipairs(a.by_mapping) do sum = sum + item.count end
      print(a.total, sum + a.lost, a.in_kernel, a.lost > 0)
    ]]):format(pages), KINDS)
    assert.equal(("%d\t%d\t0\ttrue\n"):format(pages, pages), child.stdout)
  end)
end)

local EXPERIMENT <const> = [[
  return fr.experiment "first_write" {
    regions = { fr.region "input" { bytes = 64 * fr.machine.page_bytes, fill = "index" },
      fr.region "output" { bytes = 64 * fr.machine.page_bytes, advise = "nohugepage" } },
    steps = { fr.step "prefault" { fr.write { "output", every = "word" } } },
    timed = { fr.affine { to = "output", from = "input", mul = 3, add = 1 } },
    iterations = 3,
    arms = fr.modes { "natural", "prefault" },
    metrics = { fr.metric "iter1" { at = 1 }, fr.metric "faults" { faults_at = 1 } },
  }
]]

-- The document of a run, and what it printed.
local function run_experiment(before, options)
  local file <const> = ("result-%d.json"):format(core.now())
  local child <const> = sessions.run(("XDG_STATE_HOME=$PWD/state %s\"$1\" \"$2\" --rounds 1 "
    .. "--json %s %s"):format(before, file, options), EXPERIMENT)
  assert.equal(0, child.exit_status, child.stderr)
  return json.decode(sessions.contents(file)), child.stdout
end

describe("--faults", function()
  it("finds all faults of an unprefaulted output there, and none of a prefaulted one", function()
    if not can_trace() then return pending "faults can't be traced here" end
    if is_sanitized() then return pending "a sanitizer's own memory faults as well" end
    local printed
    sessions.exactly({ { { mapping = "output", count = 64 } }, 64, 0, 0, {}, 0 }, function()
      local document
      document, printed = run_experiment("", "--faults")
      local natural <const> = document.fault_traces[1].phases[1]
      local prefault <const> = document.fault_traces[2].phases[1]
      assert.same({ "natural", "timed", "prefault" },
        { document.fault_traces[1].arm, natural.phase, document.fault_traces[2].arm })
      return { natural.by_mapping, natural.total, natural.in_kernel, natural.lost,
        prefault.by_mapping, prefault.total }
    end)
    assert.matches("natural +timed +64 +output 64 +0 +0 +frlua%-worker text 64\n", printed)
    assert.matches("prefault +timed +0 +%- +0 +0 +%-\n", printed)
  end)

  it("is in no sample, and in no result when it was not asked for", function()
    if not can_trace() then return pending "faults can't be traced here" end
    local with <const>, without <const> = run_experiment("", "--faults"), run_experiment("", "")
    assert.equal(2, #with.samples)
    assert.is_nil(without.fault_traces)
  end)

  it("shows an ordinary user the same, or the reason why it is unknown", function()
    if not can_be_user() then return pending "no ordinary user can be had here" end
    if is_sanitized() then return pending "a sanitizer's own memory faults as well" end
    local document <const>, printed <const> = run_experiment(AS_USER, "--faults")
    if document.fault_traces == json.null then
      assert.matches("^perf_event_open: ", document.fault_traces_why)
    else
      assert.matches("natural +timed +64 +output 64 +0 +0 ", printed)
    end
  end)

  it("says that it is unknown, and why, where the kernel refuses; the run is a good one", function()
    local document <const>, printed <const> = run_experiment(REFUSED, "--faults")
    local why <const> = "perf_event_open: Permission denied (EACCES)"
    assert.equal(json.null, document.fault_traces)
    assert.equal(1, (document.fault_traces_why:find(why, 1, true)))
    assert.truthy(printed:find("Page faults by mapping: unknown, " .. why, 1, true))
    assert.equal("ok", document.samples[1].status)
  end)
end)

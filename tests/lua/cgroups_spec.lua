local cgroups <const> = require "frlua.cgroups"
local kernel <const> = require "frlua.kernel"
local machine <const> = require "frlua.machine"
local tree <const> = dofile "tests/lua/data/tree.lua"

local MiB <const> = 1 << 20

-- The limits of a process on a machine with these files below /sys and /proc.
local function limits_on(contents)
  local root <close> = tree.new(contents)
  kernel.read_from { sys = root.path .. "/sys", proc = root.path .. "/proc" }
  local limits <const> = cgroups.limits()
  kernel.read_from {}
  return limits
end

-- A process in a group of version 2, with files of groups by their paths below the mount.
local function in_version_2(path, files, root)
  local contents <const> = {
    ["proc/self/cgroup"] = "0::" .. path,
    ["proc/self/mountinfo"] = "22 1 0:21 / /proc rw - proc proc rw\n30 23 0:26 " .. (root or "/")
      .. " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate",
  }
  for file, text in pairs(files) do contents["sys/fs/cgroup/" .. file] = text end
  return limits_on(contents)
end

describe("limits of control groups, version 2,", function()
  it("are none where all say max", function()
    local limits <const> = in_version_2("/a", {
      ["a/cgroup.procs"] = "1", ["a/cpu.max"] = "max 100000", ["a/memory.max"] = "max",
    })
    assert.same({ cpu_quota = "none", memory_max_bytes = "none", cpuset = "none" }, limits)
  end)

  it("are the tightest of the group's and of those above it", function()
    local limits <const> = in_version_2("/a/b", {
      ["a/b/cgroup.procs"] = "1", ["a/cpu.max"] = "30000 100000", ["a/b/cpu.max"] = "50000 50000",
      ["a/memory.max"] = "2097152", ["a/b/memory.max"] = "1048576",
      ["a/cpuset.cpus.effective"] = "0-3", ["a/b/cpuset.cpus.effective"] = "1,3",
    })
    assert.same({ quota_us = 30000, period_us = 100000 }, limits.cpu_quota)
    assert.equal(MiB, limits.memory_max_bytes)
    assert.equal("1,3", limits.cpuset)
  end)

  it("are those that a container can see, whose root is a group of its own", function()
    local limits <const> = in_version_2("/box", {
      ["cgroup.procs"] = "1", ["memory.max"] = "1048576",
    }, "/box")
    assert.equal(MiB, limits.memory_max_bytes)
  end)

  it("are unknown where the group's files are hidden", function()
    local limits <const> = in_version_2("/a", {})
    assert.is_nil(limits.cpu_quota)
    assert.matches("cgroup.procs", limits.cpu_quota_why, 1, true)
    assert.is_nil(limits.memory_max_bytes)
  end)
end)

describe("limits of control groups, version 1,", function()
  local function in_version_1(files)
    local contents <const> = {
      ["proc/self/cgroup"] = "4:memory:/m\n3:cpuset:/\n1:cpu,cpuacct:/a b\n0::/",
      ["proc/self/mountinfo"] = "32 31 0:29 / /sys/fs/cgroup/cpu\\040acct rw,relatime - cgroup"
        .. " cgroup rw,cpu,cpuacct\n33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
        .. "\n34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset",
      ["sys/fs/cgroup/cpu acct/a b/cgroup.procs"] = "1",
      ["sys/fs/cgroup/memory/m/cgroup.procs"] = "1",
      ["sys/fs/cgroup/cpuset/cgroup.procs"] = "1",
    }
    for file, text in pairs(files) do contents["sys/fs/cgroup/" .. file] = text end
    return limits_on(contents)
  end

  it("are in a directory of each controller", function()
    local limits <const> = in_version_1 {
      ["cpu acct/a b/cpu.cfs_quota_us"] = "20000", ["cpu acct/a b/cpu.cfs_period_us"] = "100000",
      ["memory/m/memory.limit_in_bytes"] = "1048576", ["cpuset/cpuset.effective_cpus"] = "0-1",
    }
    assert.same({ quota_us = 20000, period_us = 100000 }, limits.cpu_quota)
    assert.equal(MiB, limits.memory_max_bytes)
    assert.equal("0-1", limits.cpuset)
  end)

  it("are none where the quota is -1, and the memory as large as a counter", function()
    local page <const> = machine.page_bytes
    local limits <const> = in_version_1 {
      ["cpu acct/a b/cpu.cfs_quota_us"] = "-1", ["cpu acct/a b/cpu.cfs_period_us"] = "100000",
      ["memory/m/memory.limit_in_bytes"] = ("%d"):format(math.maxinteger - page + 1),
    }
    assert.equal("none", limits.cpu_quota)
    assert.equal("none", limits.memory_max_bytes)
  end)
end)

describe("limits of control groups", function()
  it("are unknown where /proc is hidden", function()
    local limits <const> = limits_on {}
    for _, name in ipairs { "cpu_quota", "memory_max_bytes", "cpuset" } do
      assert.is_nil(limits[name])
      assert.matches("No such file", limits[name .. "_why"])
    end
  end)
end)

--- frlua: experiments on first runs and memory, written in Lua and played by a C core.
---
--- `local fr <const> = require "frlua"` loads nothing but this table; a function is loaded with its
--- module when it is first used.
local fr <const> = {
  KiB = 1 << 10,
  MiB = 1 << 20,
  GiB = 1 << 30,
  TiB = 1 << 40,
}

-- Which module a name of the library comes from: the module itself, or its member of that name.
local modules <const> = {
  machine = true, clock = true, json = true, stats = true, units = true, smaps = true, elf = true,
}
local members <const> = {
  region = "grammar", step = "grammar", phase = "grammar", arm = "grammar", modes = "grammar",
  metric = "measures", split = "measures", part = "measures",
  write = "operations", read = "operations", evict = "operations", sleep = "operations",
  spin = "operations", affine = "operations", chase = "operations", link = "operations",
  count = "operations", stream = "stream",
  claim = "claims", below = "claims", above = "claims", same = "claims", exact = "claims",
  monotone = "claims", onset = "claims", same_sets = "claims", all = "claims", huge = "claims",
  granted = "claims", cold = "claims",
  populate = "memory", collapse = "memory", advise = "memory", lock = "memory", unlock = "memory",
  remap = "memory", read_file = "memory", evict_file = "memory",
  experiment = "experiment", study = "study",
  args = "cli",
  layout = "layout", geometry = "geometry",
  map = "region",
  time = "clock",
  sweep = "sweep", find_step = "steps", bisect = "bisect", plateaus = "plateaus",
  rusage = "process", fork = "process", spawn = "process",
}

local function load_member(_, name)
  local module <const> = modules[name] and name or members[name]
  if not module then
    local known <const>, seen <const> = {}, {}
    for _, names in ipairs { fr, modules, members } do -- fr has those that are loaded already
      for key in pairs(names) do
        if not seen[key] then known[#known + 1], seen[key] = key, true end
      end
    end
    table.sort(known)
    require "frlua.check".unknown("name", name, known, "the library frlua")
  end
  local value <const> = modules[name] and require("frlua." .. module)
    or require("frlua." .. module)[name]
  fr[name] = value
  return value
end

return setmetatable(fr, { __index = load_member })

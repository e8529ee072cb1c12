--- The parts of a process' life, from moments of one clock: between them they have all of its wall
--- time. The ends of a part are where one reading is the last of it and the first of the next.
local parts <const> = {
  -- Of a worker, which reads the clock itself: at the entry of main, when the last phase is over,
  -- and right before it exits.
  OF_WORKER = {
    "spawn_to_exec", "exec_to_main", "main_to_work_done", "work_done_to_exit", "exit_to_reaped",
  },
  -- Of any program, as its host sees it.
  OF_PROGRAM = { "spawn_to_exec", "exec_to_exit_seen", "exit_seen_to_reaped" },
}

local function between(names, moments)
  local list <const> = {}
  for index, name in ipairs(names) do
    if not moments[index] or not moments[index + 1] then return nil end
    list[name] = moments[index + 1] - moments[index]
  end
  return list
end

-- The moments of a worker, with holes where it did not come so far.
local function of_worker(times, outcome)
  return {
    times.start_ns, times.exec_ns, outcome.main_ns, outcome.work_done_ns, outcome.exit_ns,
    times.reaped_ns,
  }
end

---@param times frlua.ChildTimes
---@param outcome table of frlua.core.sample
---@return table<string, integer>? # nil when the worker did not come to its end by itself
function parts.of_worker(times, outcome)
  return between(parts.OF_WORKER, of_worker(times, outcome))
end

---@param times frlua.ChildTimes
---@return frlua.ChildParts
function parts.of_program(times)
  return between(parts.OF_PROGRAM,
    { times.start_ns, times.exec_ns, times.exit_seen_ns, times.reaped_ns })
end

---When the parts of a worker begin and end: those in which it runs, from its exec on.
---@param times frlua.ChildTimes
---@param outcome table of frlua.core.sample
---@return { part: string, from_ns: integer, to_ns: integer }[] # empty when it was cut short
function parts.windows(times, outcome)
  local moments <const>, list <const> = of_worker(times, outcome), {}
  if not parts.of_worker(times, outcome) then return list end
  for index = 2, #parts.OF_WORKER do
    list[#list + 1] = {
      part = parts.OF_WORKER[index], from_ns = moments[index], to_ns = moments[index + 1],
    }
  end
  return list
end

return parts

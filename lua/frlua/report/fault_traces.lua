--- What --faults adds to the report: where the page faults of each arm fell.
local aligned <const> = require "frlua.report.table"

local fault_traces <const> = {}

local NONE <const> = "-"

-- "output 128, stack 1"
local function listed(items, key)
  local parts <const> = {}
  for index, item in ipairs(items) do parts[index] = ("%s %d"):format(item[key], item.count) end
  return parts[1] and table.concat(parts, ", ") or NONE
end

local function rows_of(taken)
  if not taken.phases then return { { taken.arm, taken.status, "", "", "", "", "" } } end
  local rows <const> = {}
  for index, phase in ipairs(taken.phases) do
    rows[index] = {
      taken.arm, phase.phase, tostring(phase.total), listed(phase.by_mapping, "mapping"),
      tostring(phase.in_kernel or "unknown"), tostring(phase.lost), listed(phase.by_code, "code"),
    }
  end
  return rows
end

-- Why counts are unknown, and what "in the kernel" means to this user.
local function remarks(traces)
  local lines <const> = {
    "in the kernel: by populating, locking and the like, which leaves no address",
  }
  local is_excluded = false
  for _, taken in ipairs(traces) do
    for _, phase in ipairs(taken.phases or {}) do
      is_excluded = is_excluded or phase.kernel_excluded
      if phase.in_kernel_why then
        lines[#lines + 1] = ("%s, %s: %s"):format(taken.arm, phase.phase, phase.in_kernel_why)
      end
    end
  end
  if is_excluded then
    lines[1] = lines[1] .. "; this user's also by system calls that access memory"
  end
  return lines
end

---@param document table
---@return string[] lines empty when --faults was not given
function fault_traces.lines(document)
  local traces <const> = document.fault_traces
  local lines <const> = { "", "Page faults by mapping" }
  if not traces then
    if not document.fault_traces_why then return {} end
    lines[2] = ("%s: unknown, %s"):format(lines[2], document.fault_traces_why)
    return lines
  end
  lines[2] = lines[2] .. ", of one more process of each arm, traced and not timed"
  local rows <const> = {
    { "arm", "phase", "faults", "by mapping", "in the kernel", "lost", "by code" },
  }
  for _, taken in ipairs(traces) do
    for _, row in ipairs(rows_of(taken)) do rows[#rows + 1] = row end
  end
  for _, more in ipairs { aligned.lines(rows, "", { keys = 2 }), remarks(traces) } do
    table.move(more, 1, #more, #lines + 1, lines)
  end
  return lines
end

return fault_traces

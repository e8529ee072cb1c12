--- --csv-iterations: a row for each timed iteration, as it was read: in ns, with its faults. Those
--- of lost samples are there as far as they went, and their `status` says so.
local csv_fields <const> = require "frlua.report.csv_fields"

local csv_iterations <const> = {}

-- Millions of rows are written in pieces of so many: they never are in memory together.
local ROWS_IN_PIECE <const> = 10000

-- The counts of both kinds by iteration, and the iterations that had some, rising.
local function faults_of(phase)
  local iterations <const>, minor <const>, major <const> = {}, {}, {}
  for _, kind in ipairs { { phase.minor_faults, minor }, { phase.major_faults, major } } do
    for _, entry in ipairs(kind[1]) do
      local iteration <const>, count <const> = entry[1], entry[2]
      if not minor[iteration] and not major[iteration] then
        iterations[#iterations + 1] = iteration
      end
      kind[2][iteration] = count
    end
  end
  table.sort(iterations)
  return iterations, minor, major
end

-- Rows of one phase, from the first to the last of a piece. `next_fault` is a place in the list of
-- iterations that had faults: between them rows differ in iteration and time only.
local function piece(phase, front, first, last, faults)
  local parts <const>, none <const> = {}, csv_fields.tail(0, 0)
  while first <= last do
    local at <const> = faults.iterations[faults.next] or math.huge
    local calm_end <const> = math.min(last, at - 1)
    parts[#parts + 1] = phase.ns:rows(first, math.tointeger(calm_end), front, none)
    first = math.tointeger(calm_end) + 1
    if first <= last then
      parts[#parts + 1] = phase.ns:rows(first, first, front,
        csv_fields.tail(faults.minor[first] or 0, faults.major[first] or 0))
      first, faults.next = first + 1, faults.next + 1
    end
  end
  return table.concat(parts)
end

local function put_phase(phase, front)
  local iterations <const>, minor <const>, major <const> = faults_of(phase)
  local faults <const> = { iterations = iterations, minor = minor, major = major, next = 1 }
  for first = 1, #phase.ns, ROWS_IN_PIECE do
    local last <const> = math.min(#phase.ns, first + ROWS_IN_PIECE - 1)
    coroutine.yield(piece(phase, front, first, last, faults))
  end
end

---@param documents table[]
---@return fun(): string? # the file, piece by piece
function csv_iterations.pieces(documents)
  return coroutine.wrap(function()
    coroutine.yield(csv_fields.head("phase", "iteration", "ns", "minor_faults", "major_faults"))
    for _, document in ipairs(documents) do
      local groups <const> = csv_fields.groups(document)
      for _, sample in ipairs(document.samples) do
        local front <const> = csv_fields.sample(document, sample, groups)
        for _, phase in ipairs(sample.phases) do
          put_phase(phase, front .. "," .. require "frlua.report.escape".csv(phase.phase) .. ",")
        end
      end
    end
  end)
end

return csv_iterations

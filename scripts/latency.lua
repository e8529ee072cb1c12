-- What does a load cost when its line is in a cache, and when it is not? Random walks over working
-- sets of 4 KiB to 256 MiB, every load waiting for the one before, on small pages and on huge ones.
--
--   frlua scripts/latency.lua            up to 256 MiB
--   frlua scripts/latency.lua --full     up to 1 GiB
--
-- A walk over small pages in random order measures translation as well as memory: nearly every load
-- is on another page. There are two ways around that, each labelled as what it is: huge pages, if
-- the kernel gave them; and groups of pages that are finished before the next one begins, so that
-- their translations are held, which prefetchers may make something of. What these make of a walk
-- in the order of addresses is shown beside it.
--
-- One process walks all sizes of a column. Before each walk its chain is linked anew; what fits
-- twice into half a million loads is walked once before it is timed. Of a larger one a part is
-- walked, once, from where the linking began: those lines were written the longest ago.
local fr       <const> = require "frlua"
local analysis <const> = require "frlua.analysis"
local columns  <const> = require "frlua.report.columns"
local geometry <const> = require "frlua.geometry"
local levels   <const> = require "frlua.levels"
local text     <const> = require "frlua.report.text"

local units <const>, machine <const> = fr.units, fr.machine
local function ns(number) return units.fixed(number, 1) end
local arguments <const> = fr.args { flags = { "full" } }
if arguments[1] then
  error("latency.lua [--full], not " .. table.concat(arguments, " "), 0)
end

local GROUP_PAGES <const> = 64     -- most CPUs' nearest translation caches hold about as many
local MOST_LOADS <const> = 1 << 19 -- of one walk
local FEW_LOADS <const> = 1 << 17  -- so many take a fraction of a millisecond in the nearest cache
local places <const> = fr.geometry { line = 64 } -- where the machine does not tell
local line <const> = places.line_bytes

-- Powers of two, as far as a quarter of the memory goes.
local function sizes_to(most)
  local list, bytes = {}, 4 * fr.KiB
  while bytes <= most and (not machine.memory_bytes or bytes <= machine.memory_bytes // 4) do
    list[#list + 1], bytes = bytes, bytes * 2
  end
  return list
end

local sizes <const> = sizes_to(arguments.full and 1 * fr.GiB or 256 * fr.MiB)
local largest <const> = sizes[#sizes]
local order_bytes <const> = math.min(largest, (fr.machine.evict_bytes())) -- no cache holds it

local function metric_of(bytes) return ("kib_%d"):format(bytes // fr.KiB) end

-- Links a chain of so many bytes, and walks it under a name of the walk's own.
local function add_walk(phases, name, region, bytes, within, order)
  local lines <const> = bytes // line
  local loads <const> = math.min(math.max(1, FEW_LOADS // lines) * lines, MOST_LOADS)
  phases[#phases + 1] = fr.phase("link " .. name) {
    timed = false,
    fr.link { region, bytes = bytes, slot = line, within = within, order = order, seed = bytes },
  }
  phases[#phases + 1] = fr.phase(name) {
    fr.chase { region, loads = loads },
    iterations = 2 * loads <= MOST_LOADS and (loads <= FEW_LOADS and 5 or 2) or 1,
  }
  return phases[#phases]
end

local GROUPS <const> = { pages = GROUP_PAGES }
local function over_sizes(pages, order, within)
  local phases <const> = {}
  for _, bytes in ipairs(sizes) do add_walk(phases, metric_of(bytes), pages, bytes, within) end
  return fr.arm(("%s, %s"):format(pages, order))(phases)
end

-- The same memory in four orders.
local ORDERS <const> = {
  { metric = "all_over",   name = "random over all of it" },
  { metric = "in_groups",  name = ("random within %d pages"):format(GROUP_PAGES), within = GROUPS },
  { metric = "in_pages",   name = "random within each page", within = "page" },
  { metric = "sequential", name = "line after line", order = "sequential" },
}

local function in_orders(pages)
  local phases <const> = {}
  for _, order in ipairs(ORDERS) do
    add_walk(phases, order.metric, pages, order_bytes, order.within, order.order)
  end
  return fr.arm(pages .. ", in orders")(phases)
end

local COLUMNS <const> =
  { "small, random", "small, in groups", "huge, random", "huge, in groups" }
local arms <const> = {
  over_sizes("small", "random"), over_sizes("small", "in groups", GROUPS), in_orders "small",
  over_sizes("huge", "random"), over_sizes("huge", "in groups", GROUPS), in_orders "huge",
}

local metrics <const>, walks <const> = {}, {}
for _, arm in ipairs { arms[1], arms[3] } do
  for _, phase in ipairs(arm.phases) do
    if phase.timed then
      walks[#walks + 1] = phase.name
      metrics[#metrics + 1] = fr.metric(phase.name) {
        phase = phase.name, per = "load", median_from = math.min(phase.iterations, 2),
      }
    end
  end
end
metrics[#metrics + 1] = fr.metric "faults" { phase = walks, faults_at = 1 }


-- Columns are called by what was read back of their memory, which the advice alone does not tell.
local LABELS <const> = {
  small = { small = "small", huge = "not small", mixed = "not all small" },
  huge = { huge = "huge", small = "small again", mixed = "not all huge" },
}

local function pages_of(document, arm_name)
  return columns.pages(document, arm_name, arm_name:match "^%a+")
end

local function label(document, arm_name)
  local pages <const>, order <const> = arm_name:match "^(%a+)(, .*)$"
  return (LABELS[pages][pages_of(document, arm_name)] or "unknown pages") .. order
end

-- What random loads cost more on small pages, by round: page walks, where the pages differ.
local function walk_cost(document)
  local small <const>, huge <const> = COLUMNS[1], COLUMNS[3]
  local is_both <const> = pages_of(document, small) == "small"
    and pages_of(document, huge) == "huge"
  local values <const> = analysis.values(document.design, document.samples)
  return function(metric)
    local differences <const> = {}
    for round = 1, is_both and document.design.rounds or 0 do
      local a <const>, b <const> = values[small][metric][round], values[huge][metric][round]
      if a and b then differences[#differences + 1] = a - b end
    end
    return (fr.stats.summary(differences))
  end, is_both
end

local function over_sizes_table(document, lines)
  local cost <const>, is_both <const> = walk_cost(document)
  local wanted <const> = { head = "size", rows = {}, columns = {} }
  for index, bytes in ipairs(sizes) do
    wanted.rows[index] = { metric = metric_of(bytes), label = units.bytes(bytes) }
  end
  for index, name in ipairs(COLUMNS) do
    wanted.columns[index] = { arm = name, label = label(document, name) }
  end
  if is_both then
    table.insert(wanted.columns, { label = "random, small less huge", of = cost })
  end
  lines[#lines + 1] = "ns per load over each size: median (smallest..largest) of the processes"
  table.move(columns.lines(document, wanted), 1, #sizes + 1, #lines + 1, lines)
end

-- A walk that takes no more than half of what random loads take had its lines fetched before.
local function orders_table(document, lines)
  local wanted <const> = { head = "order", rows = {}, columns = {} }
  for index, order in ipairs(ORDERS) do
    wanted.rows[index] = { metric = order.metric, label = order.name }
  end
  for index, name in ipairs { "small, in orders", "huge, in orders" } do
    wanted.columns[index] = { arm = name, label = label(document, name):match "^[^,]*" }
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("ns per load over %s, in four orders"):format(units.bytes(order_bytes))
  table.move(columns.lines(document, wanted), 1, #ORDERS + 1, #lines + 1, lines)
  for _, column in ipairs(wanted.columns) do
    local random <const> = columns.summary(document, column.arm, "in_groups")
    for index = 3, #ORDERS do
      local found <const> = columns.summary(document, column.arm, ORDERS[index].metric)
      if random and found and found.median <= random.median / 2 then
        lines[#lines + 1] = ("%s, %s: prefetched, at %s times what random loads within groups cost;"
          .. " no latency of memory"):format(column.label, ORDERS[index].name,
            units.fixed(found.median / random.median, 2))
      end
    end
  end
end

-- By the fastest process of each size: what slows another one down belongs to no level.
local function rows_of(document, arm_name)
  local rows <const> = {}
  for index, bytes in ipairs(sizes) do
    local found <const> = columns.summary(document, arm_name, metric_of(bytes))
    if not found or found.min <= 0 then return nil end
    rows[index] = { at = bytes, value = found.min }
  end
  return rows
end

-- The smallest cost of the largest size, in whatever column: what costs half of it is no cache's.
local function farthest(document)
  local least = math.huge
  for _, name in ipairs(COLUMNS) do
    local found <const> = columns.summary(document, name, metric_of(largest))
    least = math.min(least, found and found.min or least)
  end
  return least
end

-- A guest may have a small part of a cache that is reported whole.
local function level_of(known, plateau, far)
  local name <const>, why <const> = levels.name(known, plateau.from, plateau.to)
  if name and name ~= "memory" and plateau.level > far / 2 then
    return nil, ("it lies where %s is reported, and costs more than half of what %s does"):format(
      name, units.bytes(largest))
  end
  return name, why
end

local function plateau_text(known, plateau, far, is_translated)
  local name <const>, why <const> = level_of(known, plateau, far)
  local text_of_name <const> = name and name
    .. (is_translated and ", with the translation of small pages" or "")
  return ("    %s ns from %s to %s: %s"):format(ns(plateau.level), units.bytes(plateau.from),
    units.bytes(plateau.to), text_of_name or why == known.why and "not named"
      or "not named: " .. why)
end

local function plateaus_lines(document, lines)
  local told <const> = document.machine
  local known <const> = levels.of(told.caches, told.memory_bytes, told.caches_why)
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("Plateaus of the fastest processes, named where reported sizes agree (%s)")
    :format(levels.text(known))
  for _, name in ipairs(COLUMNS) do
    local rows <const> = rows_of(document, name)
    local found <const> = rows and fr.plateaus(rows) or {}
    lines[#lines + 1] = ("  %s%s"):format(label(document, name), found[1] and "" or ": none")
    for _, plateau in ipairs(found) do
      local is_translated <const> = name:find "random$" and pages_of(document, name) ~= "huge"
        and plateau.to > GROUP_PAGES * machine.page_bytes
      lines[#lines + 1] = plateau_text(known, plateau, farthest(document), is_translated)
    end
  end
end

local function tables(document)
  local lines <const> = { "" }
  over_sizes_table(document, lines)
  orders_table(document, lines)
  plateaus_lines(document, lines)
  if not machine.line_bytes then lines[#lines + 1] = geometry.text(places) end
  return lines
end

local function figure(document, column)
  local found <const> = columns.summary(document, COLUMNS[column], metric_of(largest))
  return found and ns(found.median) .. " ns" or "an unknown time"
end

-- What the random loads over small pages say is never called a latency of memory alone.
local function reading(document)
  local cost <const>, is_both <const> = walk_cost(document)
  local difference <const> = cost(metric_of(largest))
  local first <const> = ("Reading: over %s a random load on %s takes %s, translation included;"
    .. " within groups of %d pages, whose translations are held, %s."):format(units.bytes(largest),
      pages_of(document, COLUMNS[1]) == "small" and "small pages" or "pages advised 'nohugepage'",
      figure(document, 1), GROUP_PAGES, figure(document, 2))
  if is_both and difference then
    return { first, ("On huge pages, read back as such, it takes %s: page walks are %s ns of it"
      .. " (%s..%s)%s."):format(figure(document, 3), ns(difference.median),
        ns(difference.min), ns(difference.max), document.machine.hypervisor
          and ", as far as the host's own walks are not in both" or "") }
  end
  return { first, ("What the page walks are of it this run can't tell: of the memory advised"
    .. " 'hugepage' the pages are %s, of that advised 'nohugepage' %s."):format(
      pages_of(document, COLUMNS[3]), pages_of(document, COLUMNS[1])) }
end

local SMALL <const> = { COLUMNS[1], metric_of(largest) }
local HUGE <const> = { COLUMNS[3], metric_of(largest) }
local faultless <const>, huge_page <const> = {}, machine.huge_page_bytes
for index, arm in ipairs(arms) do faultless[index] = fr.exact { arm.name, "faults", 0 } end

return fr.experiment "latency" {
  doc         = "what a load costs over working sets of growing size",
  regions     = { -- resident before anything is timed
    fr.region "small" { bytes = largest, align = huge_page, advise = "nohugepage", fill = "index" },
    fr.region "huge"  { bytes = largest, align = huge_page, advise = "hugepage", fill = "index" },
  },
  arms        = arms,
  rounds      = 3,
  keep_rounds = true, -- three walks are the table; the claim on page walks takes --rounds 10
  metrics     = metrics,
  claims      = {
    fr.claim "over the largest size a random load costs more on small pages than on huge ones" {
      needs     = fr.huge(COLUMNS[3]),
      test      = fr.above { SMALL, than = HUGE },
      otherwise = fr.claim "with no huge pages the advised memory is small pages once more" {
        test = fr.same { SMALL, HUGE, within = 0.15 },
      },
    },
    fr.claim "nothing that is timed takes a page fault" { test = fr.all(faultless) },
  },
  reading     = reading,
  report      = function(document) return text.report(document, tables) end,
}

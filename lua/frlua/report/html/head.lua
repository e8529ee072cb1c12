--- What stands on top of a page: what was asked, and what came of it.
local markup <const> = require "frlua.report.html.markup"
local units <const> = require "frlua.units"

local head <const> = {}

local function arms_text(document)
  local own <const>, references <const> = #document.arms, #document.references
  local twins <const> = #document.design.arms - own - references
  local texts <const> = { units.plural(own, "arm") }
  if twins > 0 then texts[#texts + 1] = units.plural(twins, "twin") end
  if references > 0 then texts[#texts + 1] = units.plural(references, "reference") end
  return table.concat(texts, ", ")
end

local function count_lost(document)
  local lost = 0
  for _, sample in ipairs(document.samples) do
    if sample.status ~= "ok" then lost = lost + 1 end
  end
  return lost
end

---What speaks against reading on as if all were well.
---@param document table
---@return string
local function warnings(document)
  local lines <const>, design <const> = {}, document.design
  if document.partial then
    lines[1] = "Partial: interrupted after " .. units.plural(#document.samples, "sample") .. "."
  end
  if design.pause_divisor > 1 then
    lines[#lines + 1] = ("Quick run: %s, pauses divided by %d, nothing is claimed."):format(
      units.plural(design.rounds, "round"), design.pause_divisor)
  end
  local lost <const> = count_lost(document)
  if lost > 0 then
    lines[#lines + 1] = ("Samples lost: %d of %d. The report below names them."):format(lost,
      #document.samples)
  end
  for index, line in ipairs(lines) do lines[index] = markup.element('p class="warning"', line) end
  return table.concat(lines, "\n")
end

---@param document table
---@return string
function head.asked(document)
  local args <const> = table.concat(document.args, " ")
  return markup.facts {
    { "Script", document.script }, { "Arguments", args ~= "" and args or "none" },
    { "Seed of the order", units.count(document.seed) },
    { "Begun (UTC)", document.started_at }, { "Took", units.ns(document.wall_ns) },
    { "Design", ("%s of %s; each sample a fresh process"):format(
      units.plural(document.design.rounds, "round"), arms_text(document)) },
  } .. "\n" .. warnings(document)
end

local WORDS <const> = { pass = "PASS", fail = "FAIL", withdrawn = "WITHDRAWN" }

local function verdict_item(claim)
  local lines <const> = {
    ('<li class="%s"><b>%s</b>%s'):format(claim.verdict, WORDS[claim.verdict],
      markup.escaped(claim.asked)),
  }
  if claim.withdrawn then
    lines[#lines + 1] = markup.element("p", ("asked instead of: %s: %s"):format(claim.claim,
      claim.withdrawn))
  end
  if claim.reason then lines[#lines + 1] = markup.element("p", claim.reason) end
  return table.concat(lines, "\n") .. "</li>"
end

local function counted(claims)
  local counts <const>, texts <const> = {}, {}
  for _, claim in ipairs(claims) do counts[claim.verdict] = (counts[claim.verdict] or 0) + 1 end
  for _, verdict in ipairs { "pass", "fail", "withdrawn" } do
    if counts[verdict] then
      texts[#texts + 1] = ("%d %s"):format(counts[verdict], WORDS[verdict]:lower())
    end
  end
  return table.concat(texts, ", ")
end

---@param document table
---@param level integer of its heading
---@return string
function head.verdicts(document, level)
  local claims <const> = document.claims
  local lines <const> = {}
  if claims[1] then
    lines[1] = ("<h%d>Verdicts: %s</h%d>"):format(level, counted(claims), level)
    lines[2] = '<ul class="verdicts">'
    for _, claim in ipairs(claims) do lines[#lines + 1] = verdict_item(claim) end
    lines[#lines + 1] = "</ul>"
  else
    lines[1] = ("<h%d>Verdicts</h%d>"):format(level, level)
    lines[2] = markup.element('p class="note"', "This experiment claims nothing.")
  end
  if document.reading and document.reading[1] then
    lines[#lines + 1] = markup.preformatted(table.concat(document.reading, "\n"))
  end
  return table.concat(lines, "\n")
end

return head

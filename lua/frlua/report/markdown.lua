--- --md: tables to paste into a course or an issue, in GitHub's Markdown: the machine, medians with
--- their intervals, with all digits of the JSON, verdicts, what the script says of it.
local escape <const> = require "frlua.report.escape"
local markdown_medians <const> = require "frlua.report.markdown_medians"
local markdown_table <const> = require "frlua.report.markdown_table"
local notes <const> = require "frlua.report.notes"
local points <const> = require "frlua.report.points"
local text <const> = require "frlua.report.text"
local units <const> = require "frlua.units"

local markdown <const> = {}

local function add(lines, more)
  table.move(more, 1, #more, #lines + 1, lines)
end

-- "### `name`: what it is about"
local function heading(marks, name, doc)
  return { ("%s %s%s"):format(marks, escape.markdown_name(name),
    doc and ": " .. escape.markdown(doc) or ""), "" }
end

local function machine_lines(document)
  local lines <const> = {}
  for index, line in ipairs(text.machine(document)) do
    lines[index] = (index == 1 and "Machine: " or "") .. escape.markdown(line)
  end
  return { table.concat(lines, "; "), "" }
end

local function design_lines(document)
  local design <const> = document.design
  local lines <const> = { ("%s, each sample a fresh process on CPU %d; order by seed %s;"
    .. " %s, by frlua %s, script %s."):format(units.plural(design.rounds, "round"), design.cpu,
    escape.number(document.seed), document.started_at, escape.markdown(document.frlua.version),
    escape.markdown_name(document.script)), "" }
  if design.pause_divisor > 1 then
    add(lines, { ("Quick run: pauses divided by %d, nothing is claimed."):format(
      design.pause_divisor), "" })
  end
  if document.partial then
    add(lines, { ("**Partial**: interrupted after %s."):format(
      units.plural(#document.samples, "sample")), "" })
  end
  return lines
end

local function lost_lines(document)
  local parts <const> = {}
  for _, line in ipairs(notes.lost(document)) do
    if line ~= "" then parts[#parts + 1] = escape.markdown((line:match "^%s*(.*)$")) end
  end
  return parts[1] and { "**" .. table.remove(parts, 1) .. "**: " .. table.concat(parts, "; "), "" }
    or {}
end

local WORDS <const> = { pass = "pass", fail = "**fail**", withdrawn = "withdrawn" }

local function verdict_lines(document)
  if #document.claims == 0 then return {} end
  local rows <const> = { { "verdict", "claim", "reason" } }
  for _, point in ipairs(points.of(document, false)) do
    local name <const> = escape.markdown(point.name)
    if point.is_claim then
      rows[#rows + 1] = { WORDS[point.verdict],
        point.instead_of and "asked instead: " .. name or name, escape.markdown(point.reason) }
    end
  end
  return markdown_table.lines(rows)
end

-- As it was written, in a block of code: columns stay aligned, and nothing in it is markup.
local function reading_lines(list)
  if not list or not list[1] then return {} end
  local shown <const>, ticks = {}, 2
  for index, line in ipairs(list) do
    shown[index] = escape.shown(line)
    for run in shown[index]:gmatch "`+" do ticks = math.max(ticks, #run) end
  end
  local fence <const> = ("`"):rep(ticks + 1)
  return { fence .. "text", table.concat(shown, "\n"), fence, "" }
end

local function experiment_lines(document, is_step)
  local lines <const> = heading("###", document.experiment, document.doc)
  if not is_step then add(lines, machine_lines(document)) end
  add(lines, design_lines(document))
  if document.samples[1] then add(lines, markdown_medians.lines(document)) end
  add(lines, lost_lines(document))
  if not is_step then add(lines, verdict_lines(document)) end
  add(lines, reading_lines(document.reading))
  return lines
end

---@param documents table[]
---@return string
function markdown.render(documents)
  local study <const>, lines <const> = documents[1].study, {}
  if study then
    add(lines, heading("##", study.name, study.doc))
    add(lines, machine_lines(documents[1]))
    add(lines, reading_lines(study.reading))
  end
  for _, document in ipairs(documents) do
    add(lines, experiment_lines(document, study ~= nil))
  end
  return (table.concat(lines, "\n"):gsub("\n*$", "\n"))
end

return markdown

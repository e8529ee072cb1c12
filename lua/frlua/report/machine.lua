--- The machine's passport for a terminal: a line for each fact, and below it what it means.
local aligned <const> = require "frlua.report.table"
local units <const> = require "frlua.units"

local report <const> = {}

local WIDTH <const> = 100

local TITLES <const> = {
  processor = "Processor", caches = "Caches", memory = "Memory", clock = "Clock",
  system = "Kernel", limits = "Limits", load = "Now",
}

-- "cgroup_memory_max_bytes" is read in the text's own unit.
local function shown_name(name)
  return (name:gsub("_bytes$", ""):gsub("_ns$", ""):gsub("_khz$", ""):gsub("_share$", "")
    :gsub("_", " "))
end

-- Words in lines of WIDTH, with an indent.
local function wrapped(text, indent)
  local lines <const>, line = {}, nil
  for word in text:gmatch "%S+" do
    if line and utf8.len(indent .. line .. " " .. word) > WIDTH then
      lines[#lines + 1] = indent .. line
      line = nil
    end
    line = line and line .. " " .. word or word
  end
  lines[#lines + 1] = line and indent .. line
  return lines
end

local function add_fact(lines, fact, width)
  local name <const> = aligned.printable(shown_name(fact.name))
  local head <const> = ("  %-9s %s%s  "):format(fact.level, name, (" "):rep(width - #name))
  local indent <const> = (" "):rep(#head)
  local first <const> = wrapped(aligned.printable(fact.value_why or fact.text), indent)
  first[1] = head .. first[1]:sub(#head + 1)
  table.move(first, 1, #first, #lines + 1, lines)
  local meaning <const> = wrapped(aligned.printable(fact.meaning), indent)
  table.move(meaning, 1, #meaning, #lines + 1, lines)
end

local function name_width(facts)
  local width = 0
  for _, fact in ipairs(facts) do width = math.max(width, #shown_name(fact.name)) end
  return width
end

local function names_of(facts, level)
  local names <const> = {}
  for _, fact in ipairs(facts) do
    if fact.level == level then names[#names + 1] = shown_name(fact.name) end
  end
  return names
end

local function add_summary(lines, facts)
  local disturbing <const>, unknown <const> =
    names_of(facts, "disturbs"), names_of(facts, "unknown")
  lines[#lines + 1] = ""
  local verdict <const> = disturbing[1]
    and ("%s would disturb a measurement now: %s"):format(units.plural(#disturbing, "fact"),
      table.concat(disturbing, ", "))
    or "Nothing that is known would disturb a measurement now."
  for _, line in ipairs(wrapped(verdict, "")) do lines[#lines + 1] = line end
  if unknown[1] then
    local text <const> = ("Unknown: %s"):format(table.concat(unknown, ", "))
    for _, line in ipairs(wrapped(text, "")) do lines[#lines + 1] = line end
  end
end

---@param document table of passport.document
---@return string text
function report.text(document)
  local facts <const> = document.facts
  local lines <const> = wrapped(("The machine, for samples on CPU %d (%s)"):format(document.cpu,
    aligned.printable(document.cpu_chosen)), "")
  local width <const>, group = name_width(facts), nil
  for _, fact in ipairs(facts) do
    if fact.group ~= group then
      group = fact.group
      lines[#lines + 1] = ""
      lines[#lines + 1] = TITLES[group]
    end
    add_fact(lines, fact, width)
  end
  add_summary(lines, facts)
  return table.concat(lines, "\n") .. "\n"
end

return report

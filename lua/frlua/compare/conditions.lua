--- Conditions under which a comparison fails, as a command line gives them: `steady > 5%`,
--- `steady of natural < -10%`. The percentage is how much of the base's value the other's is more.
local check <const> = require "frlua.check"
local contrast <const> = require "frlua.contrast"
local units <const> = require "frlua.units"

local conditions <const> = {}

---@class frlua.Condition
---@field text string as it was given
---@field subject string a metric, or a metric of an arm
---@field side ">"|"<"
---@field percent number
---@field metric string? once it was found in the rows
---@field arm string?

---@class frlua.Judged
---@field name string what holds when it passes
---@field verdict "pass"|"fail"|"withdrawn"
---@field reason string

local HINT <const> = "; such as 'steady > 5%' or 'steady of natural > 5%'"

-- What stands where a percentage belongs, in words; nil where it is one.
local function percentage_objection(text, side)
  local sign <const>, number <const>, rest <const> = text:match "^([+-]?)(%d*%.?%d*)(.*)$"
  if text:find "^=" then
    return ("'%s=' is no comparison here: it is > or <"):format(side)
  elseif not tonumber(number) or rest:find "%%." or rest:find "[^%%%s]" then
    return ("'%s' is no percentage"):format(text)
  elseif not rest:find "^%s*%%$" then
    return ("'%s' lacks the %%: a percentage of the base's value is meant"):format(text)
  elseif side == "<" and sign == "" and tonumber(number) ~= 0 then
    return ("'< %s' may mean two things: '< -%s' is faster than that, '< +%s' not slower than that")
      :format(text, text, text)
  end
end

---Reads a condition.
---@param text string
---@return frlua.Condition? condition
---@return string? message what is wrong, and what would be right
function conditions.parse(text)
  local subject <const>, side <const>, bound <const> = text:match "^%s*(.-)%s*([<>])%s*([^<>]-)%s*$"
  local objection = not side and "it has no > or < before a percentage"
    or subject == "" and "it names no metric" or percentage_objection(bound, side)
  if objection then return nil, ("--fail-if '%s': %s%s"):format(text, objection, HINT) end
  local percent <const> = tonumber((bound:match "[^%%%s]+"))
  return { text = text, subject = subject, side = side, percent = percent }
end

local function names_of(document, key)
  local list <const>, seen <const> = {}, {}
  local function add(name)
    if name and not seen[name] then list[#list + 1], seen[name] = name, true end
  end
  for _, row in ipairs(document.rows) do add(row[key]) end
  for _, missing in ipairs(document.unmatched) do
    add(missing.kind == key and missing.name or key == "arm" and missing.arm)
    add(missing.kind == "value" and key == "metric" and missing.name)
  end
  return list, seen
end

-- Names may hold " of " themselves: every place of one is tried.
local function split_subject(condition, is_metric, is_arm)
  if is_metric[condition.subject] then return condition.subject end
  for first, last in condition.subject:gmatch "() of ()" do
    local metric <const> = condition.subject:sub(1, first - 1)
    local arm <const> = condition.subject:sub(last)
    if is_metric[metric] and is_arm[arm] then return metric, arm end
  end
end

local function unknown(condition, metrics, is_metric, arms)
  local metric <const>, arm <const> = condition.subject:match "^(.-) of (.+)$"
  local kind, name, list = "metric", metric or condition.subject, metrics
  if metric and is_metric[metric] then kind, name, list = "arm", arm, arms end
  local near <const> = check.nearest(name, list)
  return ("--fail-if '%s': there is no %s '%s'%s"):format(condition.text, kind, name,
    near and (", did you mean '%s'?"):format(near)
    or (": there are '%s'"):format(table.concat(list, "', '")))
end

---Finds what conditions are about in the rows of a comparison.
---@param list frlua.Condition[] changed: each gets its metric, and its arm
---@param document table
---@return boolean found
---@return string? message of the first that is about nothing
function conditions.resolve(list, document)
  local metrics <const>, is_metric <const> = names_of(document, "metric")
  local arms <const>, is_arm <const> = names_of(document, "arm")
  for _, condition in ipairs(list) do
    condition.metric, condition.arm = split_subject(condition, is_metric, is_arm)
    if not condition.metric then return false, unknown(condition, metrics, is_metric, arms) end
  end
  return true
end

local function signed(percent)
  return (percent > 0 and "+" or "") .. units.count(percent) .. " %"
end

local function name_of(condition, metric, arm, file)
  return ("%s of '%s' in %s is not %s %s"):format(metric, arm, file,
    condition.side == ">" and "above" or "below", signed(condition.percent))
end

-- Which side of the bound all of an interval lies on; nil for one that holds it.
local function side_of(low, high, factor)
  return low > factor and ">" or high < factor and "<" or low == high and "=" or nil
end

local function judge_time(condition, row)
  if row.verdict == "withdrawn" then return "withdrawn", row.reason end
  local low <const>, high <const> = row.ci95[1], row.ci95[2]
  local text <const> = ("%s times the base's, 95 %% interval [%s, %s]"):format(
    units.significant(row.ratio), units.significant(low), units.significant(high))
  local side <const> = side_of(low, high, 1 + condition.percent / 100)
  if not side then return "withdrawn", text .. ": it holds the bound" end
  if side ~= condition.side then return "pass", text end
  if row.p_holm > contrast.LEVEL then -- many rows: one of them clears a bound by chance
    return "withdrawn", ("%s clears the bound, but p is %s after Holm over all rows"):format(text,
      units.significant(row.p_holm))
  end
  return "fail", text
end

local function bounds(side)
  if side.exact then return side.exact, side.exact end
  return side.values[1], side.values[#side.values]
end

local function count_text(low, high)
  return low == high and units.count(low) or units.count(low) .. " to " .. units.count(high)
end

-- Counts by themselves, whole against whole: the smallest may have to be above the largest.
local function judge_count(condition, row)
  if row.verdict == "withdrawn" then return "withdrawn", row.reason end
  local a, b <const> = { bounds(row.base) }, { bounds(row.other) }
  local text <const> = ("%s, where the base has %s"):format(count_text(b[1], b[2]),
    count_text(a[1], a[2]))
  local share <const> = 100 + condition.percent
  local above <const>, below <const> = 100 * b[1] > share * a[2], 100 * b[2] < share * a[1]
  if condition.side == ">" and above or condition.side == "<" and below then return "fail", text end
  local holds <const> = condition.side == ">" and 100 * b[2] <= share * a[1]
    or condition.side == "<" and 100 * b[1] >= share * a[2]
  if holds then return "pass", text end
  return "withdrawn", text .. ": some processes are on either side"
end

local function add(judged, condition, row, verdict, reason, is_forced)
  if is_forced then verdict, reason = "withdrawn", "the comparison was forced: " .. reason end
  judged[#judged + 1] = { condition = condition.text, metric = row.metric, arm = row.arm,
    file = row.file, name = name_of(condition, row.metric, row.arm, row.file), verdict = verdict,
    reason = reason }
end

-- What the condition would be about, had it a counterpart: silence would pass for a pass.
local function add_unmatched(judged, condition, missing)
  local metric <const> = missing.kind == "arm" and condition.metric or missing.name
  local arm <const> = missing.kind == "arm" and missing.name or missing.arm or condition.arm or "*"
  local concerns <const> = (missing.kind == "metric" or missing.kind == "value"
    or missing.kind == "arm") and metric == condition.metric
    and (not condition.arm or arm == condition.arm) and missing.why ~= "not in the base"
  if not concerns then return end
  add(judged, condition, { metric = metric, arm = arm, file = missing.file }, "withdrawn",
    "unmatched: " .. missing.why)
end

---Judges conditions by the rows of a comparison.
---@param list frlua.Condition[] resolved
---@param document table
---@return frlua.Judged[] # row by row in the order of the conditions
function conditions.judge(list, document)
  local judged <const> = require "frlua.json".array {}
  for _, condition in ipairs(list) do
    for _, row in ipairs(document.rows) do
      if row.metric == condition.metric and (not condition.arm or row.arm == condition.arm) then
        local judge <const> = row.unit == "ns" and judge_time or judge_count
        local verdict <const>, reason <const> = judge(condition, row)
        add(judged, condition, row, verdict, reason, document.forced[1] ~= nil)
      end
    end
    for _, missing in ipairs(document.unmatched) do add_unmatched(judged, condition, missing) end
  end
  return judged
end

local OF_ROWS <const> = { slower = "fail", different = "fail", withdrawn = "withdrawn" }

---What a comparison says where no condition was given: every row by itself.
---@param document table
---@return frlua.Judged[]
function conditions.of_rows(document)
  local judged <const> = {}
  for index, row in ipairs(document.rows) do
    judged[index] = {
      name = ("%s of '%s' in %s is %s"):format(row.metric, row.arm, row.file,
        row.unit == "ns" and "not seen to be slower" or "the same"),
      verdict = document.forced[1] and "withdrawn" or OF_ROWS[row.verdict] or "pass",
      reason = document.forced[1] and "the comparison was forced" or row.reason or row.verdict,
    }
  end
  return judged
end

return conditions

-- Did the memory get huge pages? A hint is a hint: every case is labelled by what is read back
-- after the touch, from smaps (AnonHugePages) and from the page table, and says why it is not more.
--
--   frlua scripts/huge_pages.lua                 16 MiB; waits for khugepaged, 12 s at the most
--   frlua scripts/huge_pages.lua 512 --wait 40   512 MiB; waits up to 40 s
local fr         <const> = require "frlua"
local aligned    <const> = require "frlua.report.table"
local backing    <const> = require "frlua.backing"
local khugepaged <const> = require "frlua.khugepaged"

local machine <const>, units <const> = fr.machine, fr.units
local page <const>, huge <const> = machine.page_bytes, machine.huge_page_bytes
local LONGEST_WAIT <const>, BLIND_WAIT <const>, COLLAPSE_TRIES <const> = 12, 2, 3

local function arguments()
  local megabytes, wait = 16, nil
  local i = 1
  while arg[i] do
    local is_wait <const> = arg[i] == "--wait"
    if is_wait then i = i + 1 end
    local number <const> = tonumber(arg[i])
    if is_wait and number and number >= 0 then
      wait = number
    elseif not is_wait and math.tointeger(number) and number >= 1 then
      megabytes = math.tointeger(number)
    else
      error("huge_pages.lua [megabytes] [--wait seconds], not " .. table.concat(arg, " "), 0)
    end
    i = i + 1
  end
  return megabytes * fr.MiB, wait
end

local bytes <const>, wait_asked <const> = arguments()
local settings <const> = khugepaged.read()

local function say(...) print(aligned.printable(string.format(...))) end
local function or_why(value, why) return value or "unknown, " .. why end
local function kilobytes(count) return count and ("%d kB"):format(count // 1024) or "unknown" end

-- The sizes of multi-size huge pages that are on, the smallest first: { { size, setting }, … }.
local function sizes_that_are_on()
  local list <const> = {}
  for size, word in pairs(machine.mthp or {}) do list[#list + 1] = { size, word } end
  table.sort(list, function(a, b)
    return units.parse_bytes(a[1]) < units.parse_bytes(b[1])
  end)
  return list
end

local function mthp_text()
  if not machine.mthp then return "unknown, " .. machine.why.mthp end
  local texts <const> = {}
  for i, size in ipairs(sizes_that_are_on()) do
    texts[i] = ("%s '%s'"):format(table.unpack(size))
  end
  return texts[1] and table.concat(texts, ", ") or "none"
end

local function disabled_text()
  if machine.thp_disabled == nil then return "unknown, " .. machine.why.thp_disabled end
  return machine.thp_disabled and "set: " .. backing.DISABLED
    or machine.thp_only_advised and "set, except where madvise asks" or "not set"
end

local function print_machine()
  say("Linux %s, %s", or_why(machine.kernel, machine.why.kernel),
    machine.hypervisor and "guest of " .. machine.hypervisor or "no hypervisor seen")
  say("page size                %s", units.bytes(page))
  say("huge page size           %s", huge and units.bytes(huge) or or_why(nil,
    machine.why.huge_page_bytes))
  say("transparent huge pages   %s", or_why(machine.thp, machine.why.thp))
  say("defrag                   %s", or_why(machine.thp_defrag, machine.why.thp_defrag))
  say("sizes that are not never %s", mthp_text())
  say("PR_SET_THP_DISABLE       %s", disabled_text())
  for _, name in ipairs(khugepaged.FILES) do
    say("khugepaged %-21s %s", name, or_why(settings[name], settings.why[name]))
  end
  local ns <const>, why <const> = khugepaged.pass_ns(settings, bytes // page)
  say("By these settings khugepaged looks at all of %s in %s", units.bytes(bytes),
    ns and units.fixed(ns / 1e9, 1) .. " s at the least" or "an unknown time, " .. why)
end

-- What the kernel and the page table say now.
local function read_back(m)
  local sum <const>, why <const> = m:smaps()
  local mapped <const>, table_why <const> = m:page_table()
  return {
    anon = sum and sum.AnonHugePages, anon_why = why or "unknown: smaps has no AnonHugePages",
    mapped = mapped and mapped.huge_bytes, method = mapped and mapped.method, table_why = table_why,
    why = sum and backing.of(sum, m.address, m.bytes).why,
  }
end

local function is_all_huge(m, seen)
  return seen.anon and huge and seen.anon >= math.max(backing.room(m.address, m.bytes, huge), 1)
end

local function count_of(amount, size)
  return units.plural(amount // size, "huge page")
end

local function seconds_to_wait()
  if wait_asked then return wait_asked end
  if machine.thp_disabled then return 0 end -- khugepaged passes by such processes
  local sleep <const> = settings.scan_sleep_millisecs
  return math.min(sleep and sleep / 1000 + 1 or BLIND_WAIT, LONGEST_WAIT)
end

-- (f): small pages are there; whether khugepaged makes huge ones of them is seen by waiting.
local function wait_for_khugepaged(m)
  local advised <const>, refusal <const> = m:advise "hugepage"
  if not advised then return refusal end
  local wait_ns <const> = seconds_to_wait() * 1e9
  local start <const>, before <const> = fr.clock(), khugepaged.read()
  while not is_all_huge(m, read_back(m)) and fr.clock() - start < wait_ns do
    fr.time(fr.sleep { ms = 100 })
  end
  local after <const>, waited <const> = khugepaged.read(), fr.clock() - start
  local pass_ns <const> = khugepaged.pass_ns(settings, m.pages)
  return ("waited %s s%s; on the whole machine pages_collapsed %s -> %s, full_scans %s -> %s")
    :format(units.fixed(waited / 1e9, 1),
      pass_ns and pass_ns > waited and not is_all_huge(m, read_back(m))
        and ", less than khugepaged takes: nothing follows from it" or "",
      before.pages_collapsed or "unknown", after.pages_collapsed or "unknown",
      before.full_scans or "unknown", after.full_scans or "unknown")
end

-- (g): asks for it now. 'nohugepage' would hold for MADV_COLLAPSE, too, and is taken back before.
local function collapse(m)
  local EAGAIN <const> = require "posix.errno".EAGAIN
  m:advise "hugepage"
  local pass, refusal, errno, tries
  for try = 1, COLLAPSE_TRIES do
    pass, refusal, errno = m:collapse()
    tries = try
    if pass or errno ~= EAGAIN then break end
  end
  if pass then
    return ("MADV_COLLAPSE took %s%s"):format(units.ns(pass.ns),
      machine.thp == "never" and ", and does not look at the setting 'never'" or "")
  end
  local made <const> = read_back(m).anon or 0
  return ("%s%s%s"):format(refusal, tries > 1 and (" (tried %d times)"):format(tries) or "",
    made > 0 and huge and ("; made in spite of it: %s"):format(count_of(made, huge)) or "")
end

local half <const> = huge and math.min(huge // 2, bytes)
local cases <const> = {
  { name = "(a) advised, aligned", align = huge, advise = "hugepage" },
  { name = "(b) advised, a page past that", align = huge, offset = page, advise = "hugepage",
    needs_size = true },
  { name = "(c) advised, 1.5 huge pages anywhere", bytes = huge and huge * 3 // 2,
    advise = "hugepage", needs_size = true },
  { name = "(d) advised, smaller than one", align = huge, bytes = half, advise = "hugepage",
    needs_size = true },
  { name = "(e) nohugepage", align = huge, advise = "nohugepage" },
  { name = "(f) small, then advised", align = huge, advise = "nohugepage",
    after = wait_for_khugepaged },
  { name = "(g) small, then MADV_COLLAPSE", align = huge, advise = "nohugepage", after = collapse },
}

local function measure(case)
  if case.needs_size and not huge then
    return { skipped = "not run: the size of a huge page is unknown" }
  elseif (case.bytes or 0) > bytes then
    return { skipped = ("not run: it takes %s, and %s were asked for"):format(
      units.bytes(case.bytes), units.bytes(bytes)) }
  end
  local m <close>, refused <const> = fr.map { bytes = case.bytes or bytes, align = case.align,
    offset = case.offset }
  if not m then return { skipped = refused } end
  local advised <const>, refusal <const> = m:advise(case.advise)
  local pass <const> = assert(m:write())
  local remark <const> = case.after and case.after(m) or not advised and refusal or nil
  local seen <const> = read_back(m)
  seen.bytes, seen.pass, seen.remark = m.bytes, pass, remark
  seen.room = huge and backing.room(m.address, m.bytes, huge)
  seen.pages = m.pages
  return seen
end

-- What of a case's faults does not follow from its pages.
local function faults_text(seen, expected)
  local faults <const> = seen.pass.minor_faults
  if faults == expected then return ", a fault each" end
  return (", in %d faults instead of %d: %s"):format(faults, expected, faults < expected
    and "some pages came with others (mTHP)" or "some are of other memory")
end

-- One sentence on a case that is advised: whether it has what its place has room for.
local function advised_text(case, seen)
  local anon <const>, room <const> = seen.anon, seen.room
  if not room then return "how much could be huge is unknown without the size of a huge page" end
  if anon > room or anon % huge ~= 0 then
    return ("%s of it is huge, no whole pages of %s that there is room for: that size, as it was"
      .. " read, is not this kernel's"):format(kilobytes(anon), units.bytes(huge))
  elseif room == 0 then
    return "none, as it must be: " .. seen.why
  elseif anon < room then
    return (anon == 0 and "none, so that it is a second small-page case: " or "") .. seen.why
  end
  local small <const> = seen.pages - room // page
  return ("%s%s, all that its place has room for%s"):format(count_of(room, huge),
    small > 0 and " and " .. units.plural(small, "small page") or "",
    case.after and "" or faults_text(seen, room // huge + small))
end

local function sentence(case, seen)
  if seen.skipped then return seen.skipped end
  local text
  if not seen.anon then
    text = seen.anon_why
  elseif case.after or case.advise == "hugepage" then
    text = advised_text(case, seen)
  else
    text = seen.anon == 0 and "none, as asked" .. faults_text(seen, seen.pages)
      or "huge pages although 'nohugepage' was advised: there is no small-page case"
  end
  return seen.remark and text .. "; " .. seen.remark or text
end

local function row(case, seen, scale)
  if seen.skipped then return { case.name, "-", "-", "-", "-", "-" } end
  local share <const> = seen.anon and units.fixed(100 * seen.anon / seen.bytes, 1) .. " %"
  return { case.name, ("%d"):format(seen.pass.minor_faults), units.scaled(seen.pass.ns, scale),
    seen.anon and ("%d of %s"):format(seen.anon // 1024, kilobytes(seen.bytes)) or "unknown",
    share or "unknown", kilobytes(seen.mapped) }
end

-- (h): what 0 does not mean.
local function print_mthp()
  local others <const> = {}
  for _, size in ipairs(sizes_that_are_on()) do
    if units.parse_bytes(size[1]) ~= huge then others[#others + 1] = size[1] end
  end
  say("(h) AnonHugePages counts entries of the largest kind only: 0 is not 'all pages are %s'. %s",
    units.bytes(page), not machine.mthp
      and ("Whether other sizes are on is unknown: %s."):format(machine.why.mthp)
    or others[1] and ("Pages of %s are on, too, and small entries map them.")
      :format(table.concat(others, ", "))
    or "No other size is on here, so that what is not huge came in pages of that size.")
end

local function print_answer(advised, small)
  local is_never <const> = machine.thp == "never"
  if (advised.anon or 0) > 0 and (is_never or machine.thp_disabled) then
    say("Huge pages came although the settings, as read, allow none: what is read back counts.")
  end
  if not advised.anon or not small.anon then
    say("This run cannot answer the question: what backs the cases is unknown.")
  elseif advised.anon == 0 then
    say("AnonHugePages of (a) stayed 0 (%s). The conclusion is not 'huge pages do not help', it is"
      .. " 'this run cannot answer the question'.", advised.why or "unknown why")
  elseif advised.anon * small.bytes == small.anon * advised.bytes then
    say("A comparison of (a) with (e) is void: the same pages back both.")
  else
    say("This run can compare huge pages (a) with small ones (e): their backing differs.")
  end
  say("It cannot say what the hardware makes of an entry%s.", machine.hypervisor
    and ", nor with which pages the host backs this guest's memory" or "")
end

local function main()
  print_machine()
  local seen <const>, times <const> = {}, {}
  for i, case in ipairs(cases) do
    seen[i] = measure(case)
    times[#times + 1] = seen[i].pass and seen[i].pass.ns
  end
  local scale <const> = units.scale(times)
  local rows <const> = { { "case", "faults", "touch " .. scale.name, "AnonHugePages", "share",
    "page table, huge" } }
  for i, case in ipairs(cases) do rows[i + 1] = row(case, seen[i], scale) end
  print()
  for _, line in ipairs(aligned.lines(rows)) do print(line) end
  print()
  for i, case in ipairs(cases) do say("%s %s.", case.name:sub(1, 3), sentence(case, seen[i])) end
  print_mthp()
  local method <const>, why <const> = seen[1].method, seen[1].table_why
  say("Page table by %s%s.", or_why(method, why or "nothing was mapped"),
    method == "kpageflags" and ", of frames, not of entries: at the most" or "")
  print()
  print_answer(seen[1], seen[5])
end

main()

--- The kernel's thread that makes huge pages out of small ones that are there already: its settings
--- and how far it has come, read now (Documentation/admin-guide/mm/transhuge.rst).
local kernel <const> = require "frlua.kernel"

local khugepaged <const> = {}

local DIRECTORY <const> = "/sys/kernel/mm/transparent_hugepage/khugepaged/"

---Its files, in the order in which they are worth reading.
khugepaged.FILES = {
  "defrag", "pages_to_scan", "scan_sleep_millisecs", "alloc_sleep_millisecs", "max_ptes_none",
  "pages_collapsed", "full_scans",
}

---@class frlua.Khugepaged each nil when unknown; `why` has the reasons by name
---@field defrag integer? 1: it may move other pages to have a free huge one
---@field pages_to_scan integer? small pages that it looks at before it sleeps
---@field scan_sleep_millisecs integer?
---@field alloc_sleep_millisecs integer? how long it sleeps when there was no free huge page
---@field max_ptes_none integer? pages of a huge one that need not be resident
---@field pages_collapsed integer? huge pages made since the machine started, roughly
---@field full_scans integer? how often it was through all processes
---@field why table<string, string>

---@return frlua.Khugepaged
function khugepaged.read()
  local found <const> = { why = {} }
  for _, name in ipairs(khugepaged.FILES) do
    found[name], found.why[name] = kernel.whole(DIRECTORY .. name)
  end
  return found
end

---How long the thread needs to look at so many pages once, by its settings: it sleeps after every
---`pages_to_scan`. At the least: memory of other processes comes in between.
---@param settings frlua.Khugepaged
---@param pages integer of base size
---@return integer? ns
---@return string? why it is unknown
function khugepaged.pass_ns(settings, pages)
  local at_once <const>, sleep <const> = settings.pages_to_scan, settings.scan_sleep_millisecs
  if not at_once or not sleep then
    return nil, settings.why.pages_to_scan or settings.why.scan_sleep_millisecs
  elseif at_once < 1 then
    return nil, ("pages_to_scan is %d"):format(at_once)
  end
  return (pages + at_once - 1) // at_once * sleep * 1000000
end

return khugepaged

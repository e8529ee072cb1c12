--- What the kernel says in the files of /proc and /sys. Nothing else knows where these are mounted,
--- so that the library can be shown another machine's files.
local files <const> = require "frlua.files"

local kernel <const> = {}

local roots = {}

---Reads below other directories from now on.
---@param directories { sys: string?, proc: string? } what is absent is the real one
function kernel.read_from(directories)
  roots = { ["/sys/"] = directories.sys, ["/proc/"] = directories.proc }
end

---Whether the files are those of the machine that this runs on, which its processor may be asked
---of.
---@return boolean
function kernel.is_this_machine()
  return not roots["/sys/"] and not roots["/proc/"]
end

---Where a file is really read.
---@param path string below /sys or /proc
---@return string
function kernel.path(path)
  local mount <const>, rest <const> = path:match "^(/%a+/)(.*)$"
  return roots[mount] and ("%s/%s"):format(roots[mount], rest) or path
end

---@param path string
---@return string? text
---@return string? message
---@return integer? errno
function kernel.text(path)
  return files.read(kernel.path(path))
end

---A file that holds one line, without the white space around it.
---@param path string
---@return string? line nil when it is unreadable or empty
---@return string? message
---@return integer? errno
function kernel.line(path)
  local text <const>, message <const>, code <const> = kernel.text(path)
  if not text then return nil, message, code end
  local line <const> = text:match "^%s*(.-)%s*$"
  if line == "" then return nil, ("'%s' is empty"):format(kernel.path(path)) end
  return line
end

---A file that holds one whole number.
---@param path string
---@return integer? number
---@return string? message
---@return integer? errno
function kernel.whole(path)
  local line <const>, message <const>, code <const> = kernel.line(path)
  if not line then return nil, message, code end
  local number <const> = line:match "^%-?%d+$" and math.tointeger(tonumber(line))
  if number then return number end
  return nil, ("'%s' holds '%s', no whole number"):format(kernel.path(path), line)
end

---The files that a pattern names, in the order of their names.
---@param pattern string with `*` as the shell has it
---@return string[] paths as they were asked for, below /sys or /proc
function kernel.matching(pattern)
  local prefix <const> = pattern:match "^/%a+/"
  local real_prefix <const> = kernel.path(prefix)
  local found <const> = {}
  for _, path in ipairs(require "posix.glob".glob(kernel.path(pattern), 0) or {}) do
    found[#found + 1] = prefix .. path:sub(#real_prefix + 1)
  end
  return found
end

return kernel

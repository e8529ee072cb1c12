--- Whole files: read, written so that nobody ever sees half of one, and where the results of runs
--- are kept. Every message names the path.
local files <const> = {}

-- luaposix, loaded by what is used: reading needs none of it.
local posix <const> = setmetatable({}, {
  __index = function(modules, name)
    local module <const> = require("posix." .. name)
    modules[name] = module
    return module
  end,
})

local function failure(verb, path, code)
  return nil, ("cannot %s '%s': %s"):format(verb, path, (posix.errno.errno(code))), code
end

---Reads a file to its end; those of /proc and /sys, too, which don't know their size.
---@param path string
---@return string? text
---@return string? message
---@return integer? errno
function files.read(path)
  local file <close>, _, code = io.open(path, "rb")
  if not file then return failure("read", path, code) end
  local text <const>, _, read_code = file:read "a"
  if not text then return failure("read", path, read_code) end
  return text
end

local function directory_of(path)
  return path:match "^.*/" or "./"
end

-- The descriptor that a name stands for; /dev/stdout is a link to such a name. Opening it anew
-- would write from the start of what is there, and a file renamed to it would miss its readers.
local function named_descriptor(path)
  if path == "-" then return posix.unistd.STDOUT_FILENO end
  local number <const> = path:match "^/dev/fd/(%d+)$" or path:match "^/proc/self/fd/(%d+)$"
  return number and tonumber(number)
end

-- The end of a chain of symbolic links, which need not exist: links stay, their target is written.
local function follow(path)
  local limit <const> = 40 -- as the kernel's, path_resolution(7)
  local target = path
  for _ = 1, limit do
    local link <const> = not named_descriptor(target) and posix.unistd.readlink(target)
    if not link then return target end
    target = link:find "^/" and link or directory_of(target) .. link
  end
  return failure("write", path, posix.errno.ELOOP)
end

local function write_text(descriptor, text)
  local written = 0
  while written < #text do
    local bytes <const>, _, code <const> =
      posix.unistd.write(descriptor, text, #text - written, written)
    if bytes then
      written = written + bytes
    elseif code ~= posix.errno.EINTR then
      return nil, code
    end
  end
  return true
end

-- A text, or what a function gives until it gives nothing.
local function write_all(descriptor, content)
  if type(content) == "string" then return write_text(descriptor, content) end
  for text in content do
    local ok <const>, code <const> = write_text(descriptor, text)
    if not ok then return nil, code end
  end
  return true
end

local function write_device(path, content)
  local fcntl <const>, unistd <const> = posix.fcntl, posix.unistd
  local descriptor <const>, _, open_code <const> =
    fcntl.open(path, fcntl.O_WRONLY | fcntl.O_NOCTTY | fcntl.O_CLOEXEC)
  if not descriptor then return failure("write", path, open_code) end
  local ok <const>, code <const> = write_all(descriptor, content)
  unistd.close(descriptor)
  if not ok then return failure("write", path, code) end
  return true
end

-- A new file beside `path`, under a name that no other file has. It is gone when the variable that
-- holds it is, however that comes, unless it was given its place.
local temporary_file <const> = {
  __close = function(file)
    posix.unistd.close(file.descriptor)
    if not file.placed then posix.unistd.unlink(file.name) end
  end,
}

local function create_temporary(path)
  local fcntl <const> = posix.fcntl
  local flags <const> = fcntl.O_WRONLY | fcntl.O_CREAT | fcntl.O_EXCL | fcntl.O_CLOEXEC
  local number = 0
  local name, descriptor, _, code
  repeat
    number = number + 1
    name = ("%s.frlua-%d-%d.tmp"):format(directory_of(path), posix.unistd.getpid(), number)
    descriptor, _, code = fcntl.open(name, flags, tonumber("666", 8)) -- the umask takes its part
  until descriptor or code ~= posix.errno.EEXIST
  if not descriptor then return nil, code end
  return setmetatable({ descriptor = descriptor, name = name }, temporary_file)
end

-- An ordinary user can't give files away: then the new file is the user's.
local function take_over(file, old)
  posix.unistd.chown(file.name, old.st_uid, old.st_gid)
  local ok <const>, _, code <const> =
    posix["sys.stat"].chmod(file.name, old.st_mode & tonumber("7777", 8))
  return ok, code
end

local function replace(path, content, old)
  local file <close>, create_code <const> = create_temporary(path)
  if not file then return failure("write", path, create_code) end
  local ok, _, code
  ok, code = write_all(file.descriptor, content)
  -- Writing takes the set-user-ID bit away from anybody but root: permissions come last.
  if ok and old then ok, code = take_over(file, old) end
  -- Without fsync the new name may reach the disk before the text does.
  if ok then ok, _, code = posix.unistd.fsync(file.descriptor) end
  if ok then ok, _, code = posix.stdio.rename(file.name, path) end
  if not ok then return failure("write", path, code) end
  file.placed = true
  return true
end

local function write_stream(path, descriptor, content)
  if descriptor == posix.unistd.STDOUT_FILENO then io.stdout:flush() end
  local ok <const>, code <const> = write_all(descriptor, content)
  if not ok then return failure("write", path, code) end
  return true
end

-- Where a path leads and what is there: the target, its descriptor where it stands for one, and for
-- what will be replaced or made, rather than written to as it is, `is_file`, with `old`, its state.
local function place_of(path)
  local target <const>, message <const>, loop_code <const> = follow(path)
  if not target then return nil, message, loop_code end
  local descriptor <const> = named_descriptor(target)
  if descriptor then return { target = target, descriptor = descriptor } end
  local stat <const>, errno <const> = posix["sys.stat"], posix.errno
  local old <const>, _, code <const> = stat.stat(target)
  if not old and (code ~= errno.ENOENT or target == "") then
    return failure("write", path, code)
  elseif old and stat.S_ISDIR(old.st_mode) ~= 0 then
    return failure("write", path, errno.EISDIR)
  elseif old and stat.S_ISREG(old.st_mode) == 0 then
    return { target = target }
  elseif old then -- replacing it would not ask
    local writable <const>, _, access_code <const> = posix.unistd.access(target, "w")
    if not writable then return failure("write", path, access_code) end
  end
  return { target = target, is_file = true, old = old }
end

---Whether `files.write` would be refused, as far as that shows without writing anything.
---@param path string
---@return true?
---@return string? message
---@return integer? errno
function files.check(path)
  local place <const>, message <const>, place_code <const> = place_of(path)
  if not place then return nil, message, place_code end
  if not place.is_file then return true end
  local may <const>, _, code <const> = posix.unistd.access(directory_of(place.target), "wx")
  if not may then return failure("write", path, code) end
  return true
end

---Writes a file so that at any time, also after a crash, it is the old one or the new one, whole.
---The target of a symbolic link is written and the link stays. An existing file keeps its
---permissions and owner. `-` and `/dev/stdout` are standard output; devices, pipes and open
---descriptors (`/dev/fd/3`) are written to as they are.
---@param path string
---@param content string|string[]|fun(): string? one text, or several that follow each other; those
---  of a function are never in memory together, and an error in it leaves the file as it was
---@return true? written nil when a file is still what it was before
---@return string? message
---@return integer? errno
function files.write(path, content)
  if type(content) == "table" then content = table.concat(content) end
  local place <const>, message <const>, code <const> = place_of(path)
  if not place then return nil, message, code end
  if place.descriptor then return write_stream(path, place.descriptor, content) end
  if not place.is_file then return write_device(path, content) end
  return replace(place.target, content, place.old)
end

local function is_directory(path)
  local found <const> = posix["sys.stat"].stat(path)
  return found and posix["sys.stat"].S_ISDIR(found.st_mode) ~= 0
end

---Makes a directory, and those above it, that do not exist; by default open to nobody else (mode
---0700), as the XDG Base Directory Specification asks for.
---@param path string
---@param mode? string octal digits, of which the umask takes its part
---@return true?
---@return string? message
---@return integer? errno
function files.make_directories(path, mode)
  for last in (path .. "/"):gmatch "[^/]()/" do
    local directory <const> = path:sub(1, last - 1)
    local made <const>, _, code <const> = posix["sys.stat"].mkdir(directory,
      tonumber(mode or "700", 8))
    if not made and not is_directory(directory) then
      local exists <const> = code == posix.errno.EEXIST
      return failure("make directory", directory, exists and posix.errno.ENOTDIR or code)
    end
  end
  return true
end

local function home_directory()
  local home <const> = os.getenv "HOME"
  if home and home:find "^/" then return home end
  local entry <const> = posix.pwd.getpwuid(posix.unistd.getuid())
  return entry and entry.pw_dir
end

---Where frlua keeps a file between runs: `$XDG_STATE_HOME/frlua/NAME`, by default
---`~/.local/state/frlua/NAME`. A relative `$XDG_STATE_HOME` is invalid and ignored (XDG Base
---Directory Specification). Makes nothing.
---@param name string
---@return string? path
---@return string? message
function files.state_path(name)
  local base = os.getenv "XDG_STATE_HOME"
  if not (base and base:find "^/") then
    local home <const> = home_directory()
    if not home then
      return nil, "no place to keep '" .. name .. "': HOME is not set, and this user has no entry"
        .. " in the passwd database"
    end
    base = home .. "/.local/state"
  end
  return ("%s/frlua/%s"):format(base, name)
end

return files

--- The prompt of `frlua -i`: reads a chunk, runs it, prints what it returns.
local core <const> = require "frlua.core"

local INTERRUPTED <const> = 130 -- exit status

-- A line; nil at the end of the input. As in lua, a global may hold another prompt, and
-- Ctrl-C at the prompt ends the session.
local function read_line(prompt_name, default)
  io.write(tostring(_G[prompt_name] or default))
  io.flush()
  core.defer_interrupt(true) -- it shall end the read, and raise no error
  local line <const> = io.read()
  core.defer_interrupt(false)
  if core.interrupted() then
    print()
    os.exit(INTERRUPTED, true)
  end
  return line
end

-- An expression, or statements. Reads on for as long as only the end is missing.
local function load_chunk(text)
  local chunk <const> = load("return " .. text, "=stdin")
  if chunk then return chunk end
  local statements <const>, message <const> = load(text, "=stdin")
  if statements or message:sub(-5) ~= "<eof>" then return statements, message end
  local line <const> = read_line("_PROMPT2", ">> ")
  if line then return load_chunk(text .. "\n" .. line) end
  return nil, message
end

local function report(message)
  io.stderr:write("frlua: ", tostring(message), "\n")
end

-- Prints what a chunk returned, or what went wrong in it.
local function show(returned, ...)
  if not returned then return report((...)) end
  if select("#", ...) == 0 then return end
  local printed <const>, message <const> = xpcall(print, core.message_handler, ...)
  if not printed then report(message) end
end

---Runs the prompt until the end of the input, with the library as the global `fr`.
return function()
  _G.fr = _G.fr or require "frlua"
  local text = read_line("_PROMPT", "> ")
  while text do
    local chunk <const>, message <const> = load_chunk(text)
    if chunk then
      show(xpcall(chunk, core.message_handler))
    else
      report(message)
    end
    core.clear_interrupt() -- it was meant for the chunk
    text = read_line("_PROMPT", "> ")
  end
  print()
end

local fr <const> = require "frlua"
local sessions <const> = require "sessions"

-- What the prompt prints after the version, what it complains of, and the exit status.
local function session(text, ...)
  local line <const> = 'text=$1; shift; printf %s "$text" | "$@"'
  local child <const> = sessions.shell(line, text, sessions.host, "-i", ...)
  return child.stdout:gsub("^frlua [^\n]*\n", ""), child.stderr, child.exit_status
end

describe("the prompt", function()
  it("prints what an expression returns, and ends at the end of the input", function()
    local out <const>, err <const>, status <const> = session "1 + 1\nnil, 'a'\n;\n"
    assert.same({ "> 2\n> nil\ta\n> > \n", "", 0 }, { out, err, status })
  end)

  it("keeps globals, and has the library without require", function()
    assert.equal("> > 1048577\n> \n", (session "x = 1\nfr.MiB + x\n"))
  end)

  it("keeps a global fr that was there before", function()
    assert.equal("> mine\n> \n", (session("fr\n", "-e", "fr = 'mine'")))
  end)

  it("reads on while only the end is missing", function()
    assert.equal("> >> >> 3\n> \n", (session "for i = 3, 3 do\nprint(i)\nend\n"))
    assert.equal("> >> 7\n> \n", (session "(3 +\n4)\n"))
    assert.equal("> >> a\nb\n> \n", (session "[[a\nb]]\n"))
  end)

  it("goes on after an error, and shows it with a traceback", function()
    local out <const>, err <const>, status <const> = session "error 'boom'\n5\n"
    assert.same({ "> > 5\n> \n", 0 }, { out, status })
    assert.matches("^frlua: stdin:1: boom\nstack traceback:\n", err)
  end)

  it("goes on after a line that is no Lua, or that ends too early", function()
    local out <const>, err <const> = session "a b\n5\n"
    assert.same({ "> > 5\n> \n", "frlua: stdin:1: syntax error near 'b'\n" }, { out, err })
    assert.matches("near <eof>\n$", (select(2, session "x = (\n")))
  end)

  it("goes on after a result that can't be printed", function()
    local out <const>, err <const> =
      session "setmetatable({}, { __tostring = function() error 'no text' end })\n5\n"
    assert.equal("> > 5\n> \n", out)
    assert.matches("^frlua: stdin:1: no text\n", err)
  end)

  it("takes its prompts from _PROMPT and _PROMPT2", function()
    assert.equal("> > a b 6\na \n", (session "_PROMPT2 = 'b '\n_PROMPT = 'a '\n(\n6)\n"))
  end)

  it("comes after a script, and sees what that left", function()
    local name <const> = os.tmpname()
    io.open(name, "w"):write "left = ...":close()
    assert.equal("> 8\n> \n", (session("left\n", name, "8")))
    os.remove(name)
  end)

  it("ends with the status of os.exit", function()
    assert.equal(3, (select(3, session "os.exit(3)\n")))
  end)

  it("returns from a chunk that is interrupted, and ends when it is interrupted itself", function()
    sessions.open()
    local child <const> = assert(fr.spawn { "sh", "-c", [[
      cd "$1"
      mkfifo input
      "$2" -i <input >out & host=$!
      exec 3>input
      echo 'io.open("busy", "w"):close() while true do end' >&3
      until [ -e busy ]; do sleep 0.02; done
      kill -INT $host
      echo '_PROMPT = "ready"; 6 * 7' | tr ';' '\n' >&3
      until grep -q 42 out && grep -q 'ready$' out; do sleep 0.02; done
      sleep 1.2 # a chunk would have been ended by now that had not stopped
      kill -INT $host
      wait $host
      echo $?
    ]], "sh", sessions.directory, sessions.host, time_limit = 60 })
    sessions.close()
    assert.equal("130\n", child.stdout)
    assert.matches("^frlua: interrupted!\nstack traceback:\n", child.stderr)
  end)
end)

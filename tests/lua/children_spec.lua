local sessions <const> = require "sessions"

setup(sessions.open)
teardown(sessions.close)

describe("output around children", function()
  local script <const> = [[
    local log <const> = io.open("log", "w")
    log:write "one\n"
    print "before"
    io.stdout:write "no newline yet "
    fr.fork { run = function() print "child" log:write "from the child\n" end }
    fr.fork { run = function() error "in the child" end }
    fr.spawn { "no-such-program" }
    fr.spawn { "echo", "program", output = "inherit" }
    log:write "two\n"
    print "end"
  ]]
  local expected <const> = "before\nno newline yet child\nprogram\nend\n"

  it("appears once and in order, in a file as in a pipe", function()
    sessions.run('"$1" "$2" >out', script)
    assert.equal(expected, sessions.contents "out")
    assert.equal(expected, sessions.run('"$1" "$2" | cat', script).stdout)
  end)

  it("appears once in files that the script has open", function()
    sessions.run('"$1" "$2"', script)
    assert.equal("one\nfrom the child\ntwo\n", sessions.contents "log")
  end)

  it("is an error of the child that it could not write", function()
    local child <const> = sessions.run('"$1" "$2" >/dev/full', [[
      local ended = fr.fork { run = function() print "lost" end }
      io.stderr:write(ended.status, ": ", ended.error)
    ]])
    assert.equal("error: what the child printed could not be written", child.stderr)
  end)
end)

describe("a host that waits for a child", function()
  -- Starts the script, waits until its child is there, and interrupts the host, or its group.
  local interrupt <const> = [[
    rm -f child
    $3 "$1" "$2" & host=$!
    until [ -s child ]; do sleep 0.02; done
    kill -INT $4$host
    wait $host
    echo $?
  ]]

  local function ends_on_an_interrupt(script)
    for _, how in ipairs { { "", "" }, { "setsid", "-" } } do
      local child <const> = sessions.run(interrupt, script, how[1], how[2])
      assert.equal("130\n", child.stdout)
      assert.matches("interrupted!", child.stderr)
      assert.is_true(sessions.ends "child")
    end
  end

  it("ends with status 130 on an interrupt, and the program with it", function()
    ends_on_an_interrupt [[
      fr.spawn { "sh", "-c", "echo $$ >child; sleep 60; :" }
      print "not reached"
    ]]
  end)

  it("ends on an interrupt with a forked child, and what that has started", function()
    ends_on_an_interrupt [[
      fr.fork { run = function() os.execute "echo $$ >child; sleep 60; :" end }
      print "not reached"
    ]]
  end)

  it("ends on an interrupt of os.execute", function()
    ends_on_an_interrupt [[
      os.execute "echo $$ >child; exec sleep 60"
      print "not reached"
    ]]
  end)

  it("keeps the time for which it was stopped in the one reading that had it", function()
    local child <const> = sessions.run([[
      rm -f started
      "$1" "$2" & host=$!
      until [ -e started ]; do sleep 0.02; done
      sleep 0.1
      kill -STOP $host
      sleep 1
      kill -CONT $host
      wait $host
    ]], [[
      fr.time(fr.spin { ms = 2 }) -- everything is loaded, and the clock chosen
      io.open("started", "w"):close()
      local ns = fr.time(fr.spin { ms = 2 }, 500).ns
      print(ns:middle(), select(2, ns:bounds()))
    ]])
    local median <const>, largest <const> = child.stdout:match "^(%d+)%s+%d+%s+(%d+)"
    assert.is_true(tonumber(largest) >= 20 * median, child.stdout)
  end)

  it("is not confused by children that it did not start, or by an ignored SIGCHLD", function()
    local script <const> = "print(fr.spawn { 'sh', '-c', 'exit 3' }.exit_status)"
    assert.equal("3\n", sessions.run('sleep 0 & exec "$1" "$2"', script).stdout)
    assert.equal("3\n", sessions.run('trap "" CHLD; exec "$1" "$2"', script).stdout)
  end)

  it("works with its own standard descriptors closed", function()
    local script <const> = [[
      local child = fr.spawn { "sh", "-c", "cat; echo out; echo err >&2" }
      io.open("result", "w"):write(child.stdout, child.stderr):close()
    ]]
    sessions.run('"$1" "$2" <&- >&- 2>&-', script)
    assert.equal("out\nerr\n", sessions.contents "result")
  end)
end)

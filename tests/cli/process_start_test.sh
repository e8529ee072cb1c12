#!/bin/bash
# How processes start: the parts of the worker's, commands beside it, and what it takes of a host.
here=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a sanitizer's own start would be measured"
script=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts/process_start.lua

it "measures the worker and commands in the same rounds, and keeps the result"
run frlua "$script" --rounds 2 --json start.json
status 0
errors ''
for arm in worker /bin/true "frlua -e ''"; do
    output_has "2 fresh processes of '$arm': first "
done
for part in 'spawn to exec' 'exec to main' 'main to work done' 'work done to exit' 'exit to reaped'; do
    output_has "$part"
done
output_has 'times that.'
output_has 'A command-line tool feels the whole process: '
run frlua verify start.json
status 0
find /tmp -maxdepth 1 -user "$(id -u)" -name 'frlua-process-start-*' -newer "$scratch/start.json" |
    grep -q . && fail "what was compiled is still there"

it "has parts that are the whole, and the sizes of arguments and environment, of every process"
cat >parts.lua <<'END'
local document = require "frlua.json".decode(io.read "a")
local counts = {}
for _, sample in ipairs(document.samples) do
  local process, sum, parts = sample.process, 0, 0
  for _, ns in pairs(process.parts_ns) do
    sum, parts = sum + ns, parts + 1
    assert(ns > 0)
  end
  assert(sum == process.wall_ns)
  assert(process.environment_bytes > 0 and process.argument_bytes > 0)
  counts[sample.arm] = parts
end
print(counts.worker, counts.warm, counts["/bin/true"], document.machine.aslr)
END
run frlua parts.lua <start.json
prints "5	5	3	$(frlua -e 'print(require "frlua".machine.aslr)')"

it "takes a command, and says which is not there"
run frlua "$script" --rounds 1 --json - -- sh -c 'exit 0'
status 0
output_has '"command":["sh","-c","exit 0"]'
run frlua "$script" -- no-such-program
status 2
errors_have "no-such-program"

it "counts a command that fails as lost"
run frlua "$script" --rounds 2 -- sh -c 'exit 3'
status 3
output_has 'sh -c exit 3: exit status 3 (rounds 1, 2)'

it "records how large the environment was, and leaves addresses as they are"
cat >environment.lua <<'END'
local document = require "frlua.json".decode(io.read "a")
print(document.samples[1].process.environment_bytes, document.machine.aslr)
END
environment() {
    env -i "$@" "$FRLUA" "$script" --rounds 1 --json - -- true >"$scratch/small.json" </dev/null
    frlua environment.lua <"$scratch/small.json"
}
plain=$(environment PATH="$PATH" XDG_STATE_HOME="$scratch")
padded=$(environment PATH="$PATH" XDG_STATE_HOME="$scratch" PAD="$(head -c 4000 /dev/zero | tr '\0' x)")
[ $((${plain%%[[:space:]]*} + 4005)) = "${padded%%[[:space:]]*}" ] || fail "$plain, padded $padded"
if setarch -R true 2>"$scratch/.err"; then
    fixed=$(environment PATH="$PATH" XDG_STATE_HOME="$scratch" setarch -R)
    [[ $fixed = *'off for this process' ]] || fail "without ASLR: $fixed"
fi

it "does not show the memory of whoever started it as a program's (a starter of 256 MiB, then a host)"
cat >big.lua <<'END'
local fr = require "frlua"
local m = assert(fr.map { bytes = "256 MiB" })
m:write()
if arg[1] then require "posix.unistd".execp(arg[1], { [0] = arg[1], "small.lua" }) end
print(fr.spawn { "/bin/true" }.peak_resident_bytes)
END
echo 'print(require "frlua".spawn { "/bin/true" }.peak_resident_bytes)' >small.lua
run frlua big.lua
prints nil
run frlua big.lua "$FRLUA"
prints nil

cat >once.lua <<'END'
local fr = require "frlua"
return fr.experiment "once" {
  regions = { fr.region "buffer" { bytes = "64 KiB" } },
  arms = { fr.arm "worker" { fr.phase "work" { fr.write "buffer" } } },
  rounds = 25,
  metrics = { fr.metric "work" { phase = "work" } },
}
END
# The smallest of each part over the processes, as what disturbs one only adds to it; less the wait
# of that process, where it was planted. A remainder of more than 5 % of 5 ms is printed.
cat >compare.lua <<'END'
local json, names = require "frlua.json", require "frlua.parts".OF_WORKER
local planted, waits = arg[1], {}
for line in io.lines "waits" do
  local pid, ns = line:match "^(%d+) (%d+)$"
  waits[tonumber(pid)] = tonumber(ns)
end
local function smallest(path, part)
  local file <close> = assert(io.open(path))
  local least = {}
  for _, sample in ipairs(json.decode(file:read "a").samples) do
    assert(sample.status == "ok", sample.status)
    for _, name in ipairs(names) do
      local wait = name == part and assert(waits[sample.process.pid]) or 0
      least[name] = math.min(least[name] or math.huge, sample.process.parts_ns[name] - wait)
    end
  end
  return least
end
local before, after = smallest "plain.json", smallest("planted.json", planted)
for _, name in ipairs(names) do
  local share = (after[name] - before[name]) / 5e6
  if math.abs(share) > 0.05 then print(name, share) end
end
END

it "finds a busy wait of 5 ms in the part that it was planted in, and in no other"
"${CC:-cc}" -O1 -shared -fPIC -D_GNU_SOURCE -o plant.so "$here/plant.c" || skip "there is no compiler"
once() { # PLACE JSON
    : >waits
    run env PLANT="$1" PLANT_NS=5000000 PLANT_LOG="$scratch/waits" LD_PRELOAD="$scratch/plant.so" \
        "$FRLUA" once.lua --json "$2"
    status 0
}
# In one of four tries: on a busy machine a part may be slower in all processes of a run.
while read -r place part; do
    for _ in 1 2 3 4; do
        once nowhere plain.json
        once "$place" planted.json
        run frlua compare.lua "$part"
        [ -s .out ] || break
    done
    prints ''
done <<'END'
start spawn_to_exec
load exec_to_main
work main_to_work_done
leave work_done_to_exit
end exit_to_reaped
END

finish

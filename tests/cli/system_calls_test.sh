#!/bin/bash
# System calls that end early or are refused, as some systems do: injected by strace.
. "$(dirname "$0")/helper.sh"
skip_when_sanitized "a leak check cannot run under strace"
command -v strace >/dev/null || skip "there is no strace"
strace -o /dev/null -e inject=getppid:error=EINTR true 2>/dev/null || skip "strace may not trace"

# Runs frlua with the injection; children are left alone.
injected() { # CALL:WHAT ARGUMENT...
    run strace -o trace -e "inject=$1" "$FRLUA" "${@:2}"
    grep -q INJECTED trace || fail "nothing was injected: ${1%%:*} was not called"
}

for call in wait4 ppoll; do
    it "waits on when $call is interrupted"
    injected $call:error=EINTR:when=1..3 -e 'print(os.execute "sleep 0.1; exit 3")'
    prints 'nil	exit	3'
    injected $call:error=EINTR:when=1..3 -e 'local fr = require "frlua"
local child = fr.spawn { "sh", "-c", "sleep 0.1; echo out; exit 4" }
print(child.status, child.exit_status, child.stdout)'
    prints 'exited	4	out'
done

it "reads on when reading a child's output is interrupted"
read_child='local core = require "frlua.core"
local child = core.spawn { path = "echo", argv = { "echo", "from the child" }, capture = 100 }
local ended, text = child:wait() io.write(ended.exit_status, " ", text)'
strace -o trace -e trace=read -e signal=none "$FRLUA" -e "$read_child" >/dev/null
number=$(grep -n -m 1 'from the child' trace | cut -d : -f 1)
injected "read:error=EINTR:when=$number" -e "$read_child"
prints '0 from the child'

it "takes sets of more CPUs than the smallest holds"
injected sched_getaffinity:error=EINVAL:when=1..3 \
    -e 'print(#require "frlua.core".allowed_cpus() > 0)'
prints true

it "says that the CPUs cannot be known, and invents none"
injected sched_getaffinity:error=EPERM -e 'print(require "frlua.core".allowed_cpus())'
prints 'nil	sched_getaffinity: Operation not permitted	1'
injected sched_getaffinity:error=EINVAL -e 'print(require "frlua.core".allowed_cpus())'
prints 'nil	sched_getaffinity: Invalid argument	22'

it "works on kernels without pidfd_open"
injected pidfd_open:error=ENOSYS -e 'print(os.execute "sleep 0.1; exit 3")'
prints 'nil	exit	3'

it "passes refusals on with their name and number"
injected memfd_create:error=ENFILE -e 'print(require "frlua.core".sample(
  { clock = 1, regions = {}, phases = {} }, -1, -1))'
prints 'nil	shared memory for the job: Too many open files in system	23'
injected vfork:error=EAGAIN -e 'print(os.execute "true")'
prints 'nil	vfork: Resource temporarily unavailable	11'
injected madvise:error=EINVAL -e 'print(require "frlua.core".map { bytes = 4096 }:madvise(15))'
prints 'nil	madvise: Invalid argument	22'

finish

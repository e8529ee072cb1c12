#!/bin/bash
# The recipes of examples/fleet: tasks on several machines, those that failed, and what is compared.
. "$(dirname "$0")/experiment.bash"
# shellcheck disable=SC2154 # experiment.bash sets it
fleet=$here/../../examples/fleet
parallel --version >/dev/null 2>&1 || skip "there is no GNU parallel"
cpu=$(frlua -e 'print(require "frlua.core".allowed_cpus()[1])')

# A machine that can't be reached, and one that can: what ssh is asked for is done here.
cat >ssh <<'END'
#!/bin/bash
[ "$1" != beta ] || { echo "ssh: connect to host beta: Connection refused" >&2; exit 255; }
shift
[ "$1" != -- ] || shift
export SHELL=/bin/bash # as sshd sets it
exec bash -c "$*"
END
chmod +x ssh
export SSH=$PWD/ssh

# frlua, but for compare, which tells what it was given.
cat >frlua <<END
#!/bin/bash
[ "\$1" != compare ] || { shift; echo "compares \$*"; exit 5; }
exec '$FRLUA' "\$@"
END
chmod +x frlua
collect() {
    run env FRLUA="$PWD/frlua" bash "$fleet/collect.sh" "$@"
}

it "runs each task on its machine and its CPUs, and lists the machine that failed"
cat >tasks <<END
alpha $cpu
beta $cpu
here $cpu
END
run bash "$fleet/over_ssh.sh" tasks results "$scripts/small.lua" --rounds 1 --arm 'warm,pause'
status 0
query_is results/1.alpha.out '[a["name"] for a in d["arms"]]' "['warm,pause']"
query_is results/3.here.out 'd["machine"]["cpus_allowed"]' "$cpu"
collect results 4
status 3
output "Failed:
  task 2 on beta: ssh: connect to host beta: Connection refused
  task 4: nothing came of it
2 of 4 tasks left a result that verifies
compares results/1.alpha.json results/3.here.json"

it "takes no result that does not verify, and none whose script broke"
sed -i 's/"digest":"sha256:/&0/' results/1.alpha.out
rm results/*.json
echo 'error "broken"' >broken.lua
run bash "$fleet/over_ssh.sh" <(echo "here $cpu") broken "$PWD/broken.lua"
cp broken/1.here.err results/2.beta.err
collect results 3
status 3
output_has 'task 1 on alpha: '
output_has 'task 2 on beta: frlua: '
output_has 'broken.lua:1: broken'
output_has '1 of 3 tasks'
[ ! -e results/1.alpha.json ] || fail "a changed result is among the good ones"

it "gives the comparison's exit status where nothing failed"
printf 'here %s\nhere %s\n' "$cpu" "$cpu" >tasks
PARALLEL=-j2 run bash "$fleet/over_ssh.sh" tasks two "$scripts/small.lua" --rounds 1
collect two 2 --md -
status 5
output_has 'compares two/1.here.json two/2.here.json --md -'

it "does the same as a task of an array"
for number in 1 2; do
    SLURM_ARRAY_TASK_ID=$number SLURMD_NODENAME=node$number \
        run bash "$fleet/array.sbatch" array "$scripts/small.lua" --rounds 1
    status 0
done
collect array 2
status 5
output_has 'compares array/1.node1.json array/2.node2.json'
SLURM_ARRAY_TASK_ID=3 SLURMD_NODENAME=node3 run bash "$fleet/array.sbatch" array ./nothing.lua
status 1
collect array 3
status 3
output_has 'task 3 on node3: frlua: cannot open ./nothing.lua'

finish

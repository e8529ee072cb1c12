#!/bin/bash
# frlua machine: the machine's passport, on this machine and where others are laid over it.
. "$(dirname "$0")/experiment.bash"
schema=$here/../../lua/frlua/machine.schema.json

fits() { # FILE
    local complaints
    complaints=$(python3 - "$schema" "$1" <<'END' 2>&1
import json, sys
import jsonschema
schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.Draft202012Validator(schema).validate(document)
names = [fact["name"] for fact in document["facts"]]
assert len(names) == len(set(names)), names
for level, count in document["counts"].items():
    assert count == sum(fact["level"] == level for fact in document["facts"]), level
END
    )
    case $complaints in
    '' | *"No module named 'jsonschema'"*) ;;
    *) fail "not valid: $complaints" ;;
    esac
}

fact_is() { # FILE NAME FIELD EXPECTED
    query_is "$1" "[f[\"$3\"] for f in d[\"facts\"] if f[\"name\"] == \"$2\"]" "[$4]"
}

it "prints a line for every fact, what it means, and what disturbs"
run frlua machine
status 0
errors ''
for word in 'cpu model' 'topology' 'smt siblings' 'thp ' 'mthp' 'clocksource' 'clock read' \
    'governor' 'aslr' 'hypervisor' 'cgroup cpu quota' 'cpus allowed' 'load 1min' 'steal' \
    'memory available' 'address space' 'pmu' 'would disturb a measurement now'; do
    output_has "$word"
done

it "is one JSON document, with the same facts"
run frlua machine --json
status 0
errors ''
cp .out out.json
fits out.json
query_is out.json 'd["schema"]' frlua-machine/1
fact_is out.json page_bytes value "$(getconf PAGESIZE)"
fact_is out.json kernel value "'$(uname -r)'"

it "writes it to a file, and then prints the text too"
run frlua machine --json file.json
status 0
fits file.json
output_has 'The machine, for samples on CPU'

it "says why it can't be written"
run frlua machine --json /nonexistent/file
status 4
errors "frlua: cannot write '/nonexistent/file': No such file or directory"

it "refuses what it does not know, and CPUs that are not allowed"
run frlua machine --jsn
status 2
errors_have "unknown option '--jsn'"
run frlua machine --cpu 1.5
status 2
errors_have "--cpu must be a whole number of at least 0, not '1.5'"
run frlua machine --cpu 65535
status 2
errors_have "--cpu: CPU 65535 "

it "says which CPU samples would be on, and that there is only one, with taskset"
first=$(frlua -e 'print(require "frlua.core".allowed_cpus()[1])')
run taskset -c "$first" "$FRLUA" machine --json
status 0
cp .out out.json
fits out.json
query_is out.json 'd["cpu"]' "$first"
fact_is out.json cpus_allowed level "'note'"
fact_is out.json cpus_allowed value "'$first'"

it "names limits of memory"
if ! is_sanitized; then
    run bash -c 'ulimit -v 4000000 -l 64; exec "$0" machine --json' "$FRLUA"
    status 0
    cp .out out.json
    fact_is out.json address_space_bytes value 4096000000
    fact_is out.json locked_bytes value 65536
fi

it "changes nothing of the machine"
if strace -qq -o trace true 2>/dev/null && ! is_sanitized; then
    run strace -f -qq -o trace -e trace=open,openat,creat,mkdir,unlink,rename,mount,sysfs \
        "$FRLUA" machine
    status 0
    if grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat|mkdir|unlink|rename|mount\(' trace |
        grep -v '/dev/null'; then
        fail "something was opened for writing"
    fi
fi

it "runs as another user"
user='setpriv --reuid 65534 --regid 65534 --clear-groups env'
# shellcheck disable=SC2086 # several words
if [ "$(id -u)" = 0 ] && $user "$FRLUA" -e '' 2>/dev/null; then
    run $user "$FRLUA" machine --json
    status 0
    cp .out out.json
    fits out.json
fi

privately() { # COMMANDS, then frlua machine --json, in a mount namespace of its own
    run unshare -m bash -c "$1"' && exec "$0" machine --json' "$FRLUA"
    status 0
    errors ''
    cp .out out.json
    fits out.json
}

unshare -m true 2>/dev/null || { echo "the rest needs mount namespaces"; finish; }

it "shows a quota of a control group, and that it disturbs"
group=frlua-test-$$
in_quota() { # the directory of a hierarchy, commands that set the quota in a new group of it
    mkdir "$1/$group" 2>/dev/null || return 1
    if (cd "$1/$group" && eval "$2") 2>/dev/null; then
        run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$0" machine --json' "$FRLUA" "$1/$group"
        had_quota=yes
    fi
    rmdir "$1/$group"
    [ $had_quota = yes ]
}
had_quota=no
in_quota /sys/fs/cgroup/cpu 'echo 100000 >cpu.cfs_period_us && echo 50000 >cpu.cfs_quota_us' ||
    in_quota /sys/fs/cgroup 'echo "50000 100000" >cpu.max' || true
if [ $had_quota = yes ]; then
    status 0
    errors ''
    cp .out out.json
    fits out.json
    fact_is out.json cgroup_cpu_quota value "{'period_us': 100000, 'quota_us': 50000}"
    fact_is out.json cgroup_cpu_quota level "'disturbs'"
else
    echo "  (no group with a quota can be made here)"
fi

if is_sanitized; then finish; fi # a sanitizer needs /proc itself

it "runs without /proc, and leaves unknown what is there"
privately 'mount -t tmpfs none /proc'
fact_is out.json load_1min value None
fact_is out.json load_1min level "'unknown'"
fact_is out.json cgroup_cpu_quota level "'unknown'"
query_is out.json 'd["counts"]["unknown"] > 5' True

it "runs without /sys"
privately 'mount -t tmpfs none /sys'
fact_is out.json thp level "'unknown'"

it "does not believe hwloc where the kernel has other CPUs online: 2048, or one offline"
mkdir cpus
echo 0-2047 | tee cpus/online >cpus/possible
privately "mount --bind '$PWD/cpus' /sys/devices/system/cpu"
query_is out.json \
    '[f["value"]["online"] for f in d["facts"] if f["name"] == "topology"]' "['0-2047']"
query_is out.json \
    '[f["value"]["source"] for f in d["facts"] if f["name"] == "topology"]' "['sysfs']"
echo 0,2-3 >cpus/online
echo 1 >cpus/offline
privately "mount --bind '$PWD/cpus' /sys/devices/system/cpu"
query_is out.json \
    '[f["value"]["online"] for f in d["facts"] if f["name"] == "topology"]' "['0,2-3']"

it "shows a cache of 0 as unknown, and a huge one as reported, but implausible"
mkdir -p cpus/cpu0/cache/index0 cpus/cpu0/cache/index3
(cd cpus/cpu0/cache && echo 1 >index0/level && echo Data >index0/type && echo 0K >index0/size &&
    echo 3 >index3/level && echo Unified >index3/type && echo 520192K >index3/size &&
    echo 0-1 >index3/shared_cpu_list)
privately "mount --bind '$PWD/cpus' /sys/devices/system/cpu"
fact_is out.json cache_l1d level "'unknown'"
query_is out.json \
    '[f["value"]["bytes"] for f in d["facts"] if f["name"] == "cache_l1d"]' '[None]'
query_is out.json '[(f["value"]["bytes"], f["value"]["implausible"])
    for f in d["facts"] if f["name"] == "cache_l3"]' '[(532676608, True)]'

it "tells huge pages of another size, and says so of those that smaps does not count"
mkdir -p thp/hugepages-64kB
echo 'always madvise [never]' >thp/enabled
echo 'always [never]' >thp/defrag
echo 536870912 >thp/hpage_pmd_size
echo '[always] inherit madvise never' >thp/hugepages-64kB/enabled
privately "mount --bind '$PWD/thp' /sys/kernel/mm/transparent_hugepage"
fact_is out.json huge_page_bytes value 536870912
fact_is out.json mthp value "{'64 KiB': 'always'}"
fact_is out.json mthp level "'note'"
fact_is out.json thp level "'note'"

finish

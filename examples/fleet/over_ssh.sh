#!/bin/bash
# One experiment on many machines, by GNU parallel over ssh. README.md tells what to mind.
#
#   over_ssh.sh TASKS RESULTS SCRIPT [OPTIONS]
#
# TASKS: a line for each task, "HOST CPUS", such as "alpha 2,10"; the host "here" is this machine,
# without ssh. What a task prints is in RESULTS/NUMBER.HOST.out and .err as soon as it ends;
# collect.sh goes on from there. $PARALLEL has options for parallel, such as "-j2 --bar".
set -euo pipefail
shopt -s nullglob
tasks=$(cat -- "$1") results=$2
shift 2
mkdir -p "$results"

# Each machine is a group of its own, so that a task goes to the one that it names, and one task
# after the other: those of one machine share caches and memory. $PARALLEL comes last, for its -j.
logins=$(awk '{ print "@" $1 "/" ($1 == "here" ? ":" : $1) }' <<<"$tasks" | sort -u | paste -sd,)
# shellcheck disable=SC2086 # options
parallel --link --quote --hostgroups --sshlogin "$logins" -j1 --joblog "$results/log" \
    --ssh "${SSH:-ssh -o BatchMode=yes -o ConnectTimeout=10}" \
    --results "$results/{#}.{2}.out" ${PARALLEL:-} \
    taskset -c '{1}' "${FRLUA:-frlua}" "$@" --json - \
    :::: <(awk '{ print $2 "@" $1 }' <<<"$tasks") <(awk '{ print $1 }' <<<"$tasks") >/dev/null ||
    true # how many failed: collect.sh says which, and why
for error in "$results"/*.out.err; do mv "$error" "${error%.out.err}.err"; done
rm -f "$results"/*.out.seq

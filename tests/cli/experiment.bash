# shellcheck shell=bash
# Sourced, in place of helper.sh, by sessions with scripts that return experiments.
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/helper.sh"
export XDG_STATE_HOME=$scratch/state
# shellcheck disable=SC2034 # sessions use it
scripts=$here/scripts

# A Python expression over the document `d` in a JSON file, as Python's own reader has it.
query() { # FILE EXPRESSION
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
print(eval(sys.argv[2]))' "$1" "$2"
}

query_is() { # FILE EXPRESSION EXPECTED
    local got
    got=$(query "$1" "$2" 2>&1)
    [ "$got" = "$3" ] || fail "$2 is not $3, but $got"
}

# Against the schema, and the digest recomputed.
valid() { # FILE...
    local complaints
    complaints=$(python3 "$here/../oracle/validate.py" \
        "$here/../../lua/frlua/result.schema.json" "$@" 2>&1)
    case $complaints in
    *"No module named 'jsonschema'"*) ;; # the digest is checked by the specs, too
    '') ;;
    *) fail "not valid: $complaints" ;;
    esac
}

# Prints the number of the worker that a host waits for, when that worker sleeps: it does so in a
# step that pauses, and nowhere else.
sleeping_worker() { # HOST
    local attempt stat line
    for ((attempt = 0; attempt < 500; attempt++)); do
        for stat in /proc/[0-9]*/stat; do
            read -r line 2>/dev/null <"$stat" || continue
            if [[ $line =~ ^([0-9]+)\ \(frlua-worker\)\ S\ $1\  ]]; then
                echo "${BASH_REMATCH[1]}"
                return
            fi
        done
        sleep 0.02
    done
    echo 'there is no worker' >&2
    return 1
}

# Of a process that has ended, but not yet been reaped, nothing is in its command line.
is_running() { # PID
    [ -n "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]
} 2>/dev/null

# A process that was killed may be there for a moment more.
is_gone() { # PID
    local attempt
    for ((attempt = 0; attempt < 50; attempt++)); do
        is_running "$1" || return 0
        sleep 0.02
    done
    fail "process $1 is still there"
}

# Starts a host in the background, in a group of its own; $host is its number.
start() { # frlua's arguments
    setsid "$FRLUA" "$@" >.out 2>.err &
    host=$!
}

# Waits for the host, and keeps its exit status for the expectations.
ended() {
    wait "$host"
    code=$?
}

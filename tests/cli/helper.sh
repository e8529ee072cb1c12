# shellcheck shell=bash
# Sourced by every session: a list of runs, each followed by what must come of it.
#
#   it "adds up"
#   run frlua -e 'print(1 + 1)'
#   status 0
#   output 2
#
# An expectation that is not met is printed with what came instead, and fails the session. Sessions
# run in an empty directory of their own, $scratch, with empty standard input.
set -u
export FRLUA=${FRLUA:?the path of frlua} LC_ALL=C
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4
exec </dev/null

scratch=$(realpath "$(mktemp -d)")
failed=0 ended=no code='' said=''

end_of_session() {
    [ "$BASHPID" = $$ ] || exit # a subshell
    rm -rf "$scratch"
    [ "$ended" = yes ] || { echo "FAILED: the session ended early"; exit 1; }
}
trap end_of_session EXIT
cd "$scratch" || exit 1

frlua() {
    "$FRLUA" "$@"
}

it() {
    said=$1
    echo "- $1"
}

# Runs a command; its output and errors are kept for the expectations.
run() {
    "$@" >"$scratch/.out" 2>"$scratch/.err"
    code=$?
}

fail() {
    failed=1
    printf 'FAILED: %s: %s\n--- exit status %s, standard output:\n' "$said" "$1" "$code"
    head -c 2000 "$scratch/.out"
    printf -- '--- standard error:\n'
    head -c 2000 "$scratch/.err"
    echo ---
}

status() {
    [ "$code" = "$1" ] || fail "the exit status is not $1"
}

# The whole output, but for the newline at its end.
output() {
    [ "$(cat "$scratch/.out")" = "$1" ] || fail "the output is not '$1'"
}

output_has() {
    grep -q -F -e "$1" "$scratch/.out" || fail "the output lacks '$1'"
}

errors() {
    [ "$(cat "$scratch/.err")" = "$1" ] || fail "the errors are not '$1'"
}

errors_have() {
    grep -q -F -e "$1" "$scratch/.err" || fail "the errors lack '$1'"
}

# What a run that succeeds prints.
prints() {
    status 0
    output "$1"
    errors ''
}

# Ends the session: it cannot be done here.
skip() {
    echo "skipped: $1"
    ended=yes
    exit 77
}

is_sanitized() {
    [ "${FRLUA_SANITIZE:-0}" != 0 ]
}

skip_when_sanitized() {
    if is_sanitized; then skip "$1"; fi
}

finish() {
    ended=yes
    exit $failed
}

#!/bin/bash
# Output that does not arrive is an error: exit status 4.
. "$(dirname "$0")/helper.sh"
[ -c /dev/full ] || skip "there is no /dev/full"

it "is status 4 when the device is full"
run bash -c '"$FRLUA" -e "io.write(1)" >/dev/full'
status 4
errors 'frlua: cannot write standard output: No space left on device'

it "is status 4 when it was noticed in the middle"
run bash -c '"$FRLUA" -e "for i = 1, 1e5 do print(i) end" >/dev/full'
status 4
errors_have 'cannot write standard output'
run bash -c '"$FRLUA" -e "io.stdout:setvbuf \"no\" print(1)" >/dev/full'
status 4
errors_have 'cannot write standard output'

it "is status 4 when standard output is closed"
run bash -c '"$FRLUA" -e "print(1)" >&-'
status 4
errors_have 'cannot write standard output'

it "is no error when nothing was to be written"
run bash -c '"$FRLUA" -e "x = 1" >/dev/full && "$FRLUA" -e "x = 1" >&-'
prints ''

it "is checked by os.exit, too"
for call in 'os.exit()' 'os.exit(true, true)' 'os.exit(7)'; do
    run bash -c '"$FRLUA" -e "print(1) $0" >/dev/full' "$call"
    status 4
done

it "takes precedence over an error of the script"
run bash -c '"$FRLUA" -e "print(1) error \"broken\"" >/dev/full'
status 4
errors_have broken
errors_have 'cannot write standard output'

it "is seen by the script when it looks"
run bash -c '"$FRLUA" -e "io.write(1) io.stderr:write((select(2, io.stdout:flush())))" >/dev/full'
status 4
errors_have 'No space left on device'

it "is not the end when a reader goes away"
run bash -c 'set -o pipefail; trap "" PIPE
    "$FRLUA" -e "for i = 1, 1e5 do print(i) end" | head -n 1'
status 4
output 1
errors_have 'cannot write standard output'
run bash -c 'set -o pipefail; "$FRLUA" -e "for i = 1, 1e5 do print(i) end" | head -n 1'
status 141 # by SIGPIPE, as every filter
output 1

it "says nothing of standard errors that are closed"
run bash -c '"$FRLUA" -e "io.stderr:write \"x\" print(1)" 2>&-'
prints 1

finish

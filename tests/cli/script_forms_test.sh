#!/bin/bash
# Script files as editors and systems leave them, by every way to a script.
. "$(dirname "$0")/helper.sh"
bom=$'\xef\xbb\xbf'
mkdir bin forms
ln -s "$FRLUA" bin/frlua
printf "%sprint('ok', ...)" "$bom" >forms/bom
printf "%s#!/usr/bin/env frlua\nprint('ok', ...)\n" "$bom" >forms/bom_and_shebang
printf "#!/usr/bin/env frlua\r\nprint('ok',\r\n...)\r\n" >forms/crlf
printf "print('ok', ...)" >forms/no_newline_at_the_end
printf "#!/usr/bin/env frlua\nprint('ok', ...)\n" >forms/shebang
printf "# not Lua, but only in the first line\nprint('ok', ...)" >forms/comment
printf 'return print("ok", ...)' >forms/returns_nothing

for form in forms/*; do
    it "runs ${form#forms/} by path, by -, through /dev/stdin and a pipe"
    run frlua "$form" a b
    prints "ok	a	b"
    run frlua - a b <"$form"
    prints "ok	a	b"
    run frlua /dev/stdin a b <"$form"
    prints "ok	a	b"
    run frlua /dev/stdin a b < <(cat "$form")
    prints "ok	a	b"
    run frlua <"$form"
    prints ok
done

it "counts lines over a shebang, a BOM and CR LF"
printf "%s#!/usr/bin/env frlua\r\n\r\nerror 'here'\r\n" "$bom" >lines.lua
run frlua lines.lua
status 1
errors_have 'lines.lua:3: here'
run frlua - <lines.lua
status 1
errors_have 'stdin:3: here'

it "reads CR LF in a long string as one newline"
printf 'print(#[[a\r\nb]])\r\n' >crlf.lua
run frlua crlf.lua
prints 3

it "is named by a shebang"
cp forms/shebang by_name
chmod +x by_name
PATH=$scratch/bin:$PATH run ./by_name a
prints "ok	a"

for empty in '' '#!/usr/bin/env frlua' $'#!/usr/bin/env frlua\n' "$bom" $'\n\n' '-- remark'; do
    it "does nothing for a script of '$empty'"
    printf %s "$empty" >empty.lua
    run frlua empty.lua
    prints ''
    run frlua - <empty.lua
    prints ''
done

it "refuses UTF-16 in line 1"
printf '\xff\xfep\0r\0i\0n\0t\0(\0)\0' >utf16.lua
run frlua utf16.lua
status 1
output ''
errors_have 'utf16.lua:1:'

it "refuses a directory"
run frlua forms
status 1
output ''
errors_have 'forms'

it "refuses a script that it may not read, or that is not there"
run frlua no/such/script.lua
status 1
errors_have 'cannot open no/such/script.lua: No such file or directory'

it "runs compiled Lua"
run frlua -e 'local f = io.open("binary", "wb")
              f:write(string.dump(function(...) print("ok", ...) end)) f:close()'
run frlua binary a
prints "ok	a"
run frlua - a <binary
prints "ok	a"

it "refuses compiled Lua that is cut off"
head -c 40 binary >half
run frlua half
status 1
output ''
errors_have 'truncated'

finish

#!/bin/bash
# The same invocations with lua5.4 and with frlua: the same output, the same status, the same message.
. "$(dirname "$0")/helper.sh"
command -v lua5.4 >/dev/null || skip "there is no lua5.4 to compare with"

# Both are started under one name. Tracebacks differ in the hosts' own frames at their ends.
compare() {
    said="lua $*"
    tee input | (exec -a lua lua5.4 "$@") >expected 2>expected_errors
    local expected=${PIPESTATUS[1]}
    run bash -c 'exec -a lua "$FRLUA" "$@"' bash "$@" <input
    status "$expected"
    cmp -s expected .out || fail "lua prints: $(cat expected)"
    head -n 1 .err | sed 's/^frlua: /lua: /' | cmp -s - <(head -n 1 expected_errors) ||
        fail "lua says: $(head -n 1 expected_errors)"
}

cat >show.lua <<'END'
print(#arg, ...)
for i = -9, 9 do print(i, arg[i]) end
END
echo 'return { v = 1 }' >module.lua
echo 'local x <const> = 1; x = 2' >syntax.lua
printf '#!/usr/bin/env lua\nerror("line 2")' >shebang.lua
printf '\xef\xbb\xbf# comment\nprint(debug.getinfo(1, "l").currentline)' >bom.lua

echo "- runs as lua does"
compare show.lua
compare show.lua a '' 'b c' -e --
compare -- show.lua a
compare -e 'x = 1' -l module show.lua a
compare -e 'print(module)' -l module -e 'print(module.v)'
compare -e 'print(m.v)' -l m=module
compare -l m=module -e 'print(m.v, module)'
compare -e ''
compare -eprint=1
compare -E -e 'print(package.path)'
compare -E -e 'print(package.cpath)'
compare -W -e 'warn("a", "b")' -e 'warn "@off"' -e 'warn "c"'
compare -e 'print(...)' show.lua a
compare -e 'print(#arg, arg[0], arg[1])' show.lua a
compare -l missing
compare missing.lua
compare -- -
compare -e 'error "plain"'
compare -e 'error("no place", 0)'
compare -e 'error(setmetatable({}, {__tostring = function() return "readable" end}))'
compare -e 'error {}'
compare -e 'error()'
compare -e 'error(nil)'
compare -e 'error(42)'
compare -e 'error(true)'
compare -e 'local t = nil; t.x = 1'
compare -e 'return 1 + {}'
compare -e 'goto nowhere'
compare -e 'local function f() return 1 + f() end f()'
compare -e 'string.rep("x", -1)()'
compare -e 'assert(false)' -e 'print "unexpected"'
compare -e 'assert(nil, "asserted")'
compare -e 'coroutine.wrap(function() error "inside" end)()'
compare -e 'local t <close> = setmetatable({}, {__close = function() print "closed" end}) error "e"'
compare -e 'setmetatable({}, {__gc = function() print "collected" end})'
compare -e 'setmetatable({}, {__gc = function() error "in gc" end})' -W
compare syntax.lua
compare shebang.lua
compare bom.lua
compare .
for code in '' true false 0 1 9 255 256 -1 3.0 'true, true' 'false, true' '7, true'; do
    compare -e "io.write 'no newline' os.exit($code)"
done
compare -e 'os.exit "x"'
compare -e 'print(os.execute())'
compare -e 'print(os.execute "exit 3")'
compare -e 'print(os.execute "kill -9 $$")'
compare -e 'print(os.execute "true")' -e 'print(os.execute "no-such-command-at-all 2>&-")'
compare -e 'print(io.popen("echo popen; exit 2"):read "a")'
compare -e 'print(io.popen("exit 2"):close())'
compare -e 'print(math.type(3), 1e15, 2^53, 1e100, -0.0, 1/0, 10 // 0.0, 7 // 2, 0x10p2)'
compare -e 'print(os.setlocale(), os.setlocale(nil, "numeric"), 1.5)'
compare -e 'print(collectgarbage "incremental")'
compare -e 'io.stderr:write "to errors\n"'
compare -e 'print(pcall(io.close), io.type(io.stdout))'

echo "- reads standard input as lua does"
compare <<<'print(#arg, arg[0], ...)'
compare - <<<'print(#arg, arg[0], ...)'
compare - a b <<<'print(#arg, arg[0], ...)'
compare -e 'print(io.read "n", io.read "a")' <<<'12.5 rest'
compare - <<<'error "in standard input"'
compare - <<<'syntax error here'
compare /dev/stdin <<<'print(1)'
compare <<<''

finish

#!/bin/bash
# Errors of scripts: said on standard error with place and traceback, whatever was raised; status 1.
. "$(dirname "$0")/helper.sh"

# Runs the text as script.lua.
script() {
    printf '%s\n' "$1" >script.lua
    run frlua script.lua
}

it "prints message, place and traceback"
script 'local function inner() error "broken" end
local function outer() inner() end
outer()'
status 1
output ''
errors_have 'frlua: script.lua:1: broken'
errors_have 'stack traceback:'
errors_have 'script.lua:2: in '
errors_have 'script.lua:3: in main chunk'

it "keeps what was printed before"
script 'print "before" error "broken"'
status 1
output before

it "says where the syntax is wrong"
script 'print "unexpected"
local x = = 1'
status 1
output ''
errors_have "script.lua:2: unexpected symbol near '='"

it "says that the error was a table"
script 'error { code = 7 }'
status 1
errors_have 'frlua: (error object is a table value)'
errors_have 'script.lua:1: in main chunk'

it "says that the error was nil"
script 'error(nil)'
status 1
errors_have '(error object is a nil value)'

it "uses the text of an error object that has one"
script 'error(setmetatable({}, { __tostring = function() return "readable text" end }))'
status 1
errors_have 'frlua: readable text'
errors_have 'script.lua:1: in main chunk'

it "survives a __tostring that returns no text, or fails"
script 'error(setmetatable({}, { __tostring = function() return 42 end }))'
status 1
errors_have 'error object is a table value'
script 'error(setmetatable({}, { __tostring = function() error "again" end }))'
status 1
errors_have frlua:

it "survives deep recursion, in Lua and in C"
script 'local function f(n) return 1 + f(n + 1) end f(1)'
status 1
errors_have 'script.lua:1: stack overflow'
script 'local s = string.rep("(", 1000) .. string.rep(")", 1000) print(load(s))'
status 0
output_has 'overflow'
script 'local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end
print(t.x)'
status 1
errors_have 'stack overflow'

it "carries the text through coroutines and pcall"
script 'print(pcall(coroutine.wrap(function() error "inside" end)))
coroutine.wrap(function() error "uncaught" end)()'
status 1
output 'false	script.lua:1: inside'
errors_have 'script.lua:2: uncaught'

it "prints errors that hold no text, or bytes that are none"
script 'error("", 0)'
status 1
script 'error("a\0b\xff", 0)'
status 1
errors_have 'frlua: a'

it "warns of errors in finalizers, and ends well"
script 'warn "@on" setmetatable({}, { __gc = function() error "in gc" end })'
status 0
errors_have 'in gc'

it "closes to-be-closed variables on the way out"
script 'local t <close> = setmetatable({}, { __close = function() print "closed" end }) error "e"'
status 1
output closed

it "runs finalizers at the end"
script 'setmetatable({}, { __gc = function() print "finalized" end })'
prints finalized

finish

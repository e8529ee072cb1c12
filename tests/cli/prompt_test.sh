#!/bin/bash
# The prompt of -i.
. "$(dirname "$0")/helper.sh"

# What is printed between the prompts.
answers() {
    run frlua "$@"
    sed -i -E '1d; s/^(>>? )+//; /^$/d' .out
}

it "runs statements and prints the values of expressions"
answers -i <<'END'
x = 20
x + 1, "two"
print(x)
END
prints "21	two
20"

it "reads on until a statement is complete"
answers -i <<'END'
for i = 1, 2 do
  print(i)
end
END
prints "1
2"

it "goes on after an error, and says it"
answers -i <<'END'
error "broken"
x = = 1
print "still here"
END
status 0
output 'still here'
errors_have broken
errors_have 'unexpected symbol'

it "comes after -e and the script, with what they left"
echo 'from_script = ...' >script.lua
answers -i -e 'from_option = 1' script.lua argument <<<'from_option, from_script'
prints "1	argument"

it "prints the version first"
run frlua -i <<<''
status 0
output_has 'frlua '

finish

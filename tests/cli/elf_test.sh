#!/bin/bash
# fr.elf and scripts/elf.lua on what the linker of this machine makes.
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/helper.sh"
script=$(dirname "$(dirname "$FRLUA")")/share/frlua/scripts/elf.lua
command -v gcc >/dev/null || skip "there is no gcc"
unset LD_BIND_NOW

# `missing` is there when a program is linked, and gone when it runs, which does not call it: only a
# loader that binds it at start minds.
cat >main.c <<'END'
#include <stdlib.h>
extern int missing(int);
int main(int argc, char **argv) { return argc > 1 ? missing(atoi(argv[1])) : 0; }
END
echo 'extern int puts(const char *); int f(void) { return puts("x"); }' >calls.c
echo 'int f(void) { return 1; }' >plain.c
mkdir linked
echo 'int missing(int i) { return i; }' | gcc -shared -fPIC -nostdlib -Wl,-soname,libgone.so \
    -x c - -o linked/libgone.so
gcc -shared -fPIC -nostdlib plain.c -o libgone.so

build() { # NAME OPTION...
    ${compiler:-gcc} -O1 main.c -o "$1" linked/libgone.so "-Wl,-rpath,$PWD" "${@:2}" 2>build.log
}

cat >binding.lua <<'END'
for _, path in ipairs(arg) do
  local found = assert(require "frlua".elf(path))
  print(("%s: %s, %s; %s"):format(path, found.type, found.binding,
    table.concat(found.bind_now, " ")))
end
END

binding_is() { # PROGRAM EXPECTED
    run frlua binding.lua "$1"
    prints "$1: $2"
}

# Whether the loader really binds at start, which is what the file is said to ask for.
binds_at_start() { # PROGRAM
    run "./$1"
    [ "$code" = 127 ] && grep -q 'undefined symbol: missing$\|missing: symbol not found$' .err
}

is_said_and_is() { # PROGRAM lazy|now EXPECTED
    binding_is "$1" "$3"
    if [ "$2" = now ]; then
        binds_at_start "$1" || fail "the loader does not bind $1 at start"
    elif binds_at_start "$1"; then
        fail "the loader binds $1 at start"
    fi
}

it "tells lazy programs from others, as the loader treats them"
build lazy -pie -fPIE -fplt -Wl,-z,lazy || skip "the compiler links no programs: $(cat build.log)"
is_said_and_is lazy lazy 'DYN, lazy; '
build now -pie -fPIE -Wl,-z,now
is_said_and_is now now 'DYN, now; DT_FLAGS DT_FLAGS_1'
build old -pie -fPIE -Wl,-z,now -Wl,--disable-new-dtags
is_said_and_is old now 'DYN, now; DT_BIND_NOW DT_FLAGS_1'
build fixed -no-pie -fno-pie -fplt -Wl,-z,lazy
is_said_and_is fixed lazy 'EXEC, lazy; '
build fixed_now -no-pie -fno-pie -Wl,-z,now
is_said_and_is fixed_now now 'EXEC, now; DT_FLAGS DT_FLAGS_1'

# Each place by itself, written over another entry of the dynamic section.
cat >places.py <<'END'
import struct, sys
NOW = {"DT_BIND_NOW": (24, 0), "DT_FLAGS": (30, 8), "DT_FLAGS_1": (0x6ffffffb, 0x08000001)}
image = open("now", "rb").read()
form = ("<" if sys.byteorder == "little" else ">") + "qQ"
flags, flags_1 = struct.pack(form, *NOW["DT_FLAGS"]), struct.pack(form, *NOW["DT_FLAGS_1"])
assert image.count(flags) == 1 and image.count(flags_1) == 1
for name, entry in NOW.items():
    only_pie = struct.pack(form, 0x6ffffffb, 0x08000000)
    new_flags_1 = flags_1 if name == "DT_FLAGS_1" else only_pie
    new_flags = struct.pack(form, *entry) if name != "DT_FLAGS_1" else struct.pack(form, 30, 0)
    open(name, "wb").write(image.replace(flags_1, new_flags_1).replace(flags, new_flags))
open("neither", "wb").write(image.replace(flags_1, only_pie).replace(flags, struct.pack(form, 30, 0)))
END
it "knows each of the three places that can say it"
if [ "$(getconf LONG_BIT)" = 64 ]; then
    python3 places.py || fail "the places were not exchanged"
    for place in DT_BIND_NOW DT_FLAGS DT_FLAGS_1; do
        chmod +x $place
        is_said_and_is $place now "DYN, now; $place"
    done
    chmod +x neither # without its PLT, which -z now leaves out, nothing is left to be lazy
    run frlua binding.lua neither
    status 0
    if grep -q 'now' .out; then fail "what no place says was heard"; fi
fi

it "says what lazy binding has nothing to act on"
build noplt -pie -fPIE -fno-plt -Wl,-z,lazy
binding_is noplt 'DYN, none; '
run frlua -e 'print(require "frlua".elf("noplt").binding_why)'
output 'no PLT relocations: it has no DT_PLTRELSZ'
gcc -O1 -shared -fPIC -fplt calls.c -o lib_lazy.so -Wl,-z,lazy
gcc -O1 -shared -fPIC calls.c -o lib_now.so -Wl,-z,now
gcc -O1 -shared -fPIC plain.c -o lib_plain.so -Wl,-z,lazy -nostdlib
binding_is lib_lazy.so 'DYN, lazy; '
binding_is lib_now.so 'DYN, now; DT_FLAGS DT_FLAGS_1'
binding_is lib_plain.so 'DYN, none; '
if echo 'int main(void) { return 0; }' | gcc -static -no-pie -x c - -o static 2>build.log; then
    binding_is static 'EXEC, none; '
fi

it "knows the loader that binds everything, whatever the file says"
if command -v musl-gcc >/dev/null && compiler=musl-gcc build musl -fplt -Wl,-z,lazy; then
    is_said_and_is musl now "$(frlua -e 'print(require "frlua".elf("musl").type)'), now; "
fi

it "does not link the command with libelf"
run frlua - "$FRLUA" <<<'print(table.concat(require "frlua".elf(arg[1]).dynamic.needed, " "))'
status 0
output_has liblua
if grep -q libelf .out; then fail "it does"; fi

# p_align, what is seen of it, and what programs see of themselves.
field() { # NAME: of what scripts/elf.lua printed
    sed -n "s/^$1  *//p" .out
}
cat >base.c <<'END'
#include <stdio.h>
extern const char __executable_start[];
int main(void) { printf("%p\n", (const void *)__executable_start); return 0; }
END
all_multiples() { # PROGRAM BYTES: whether ten starts of it find themselves there
    local i
    for ((i = 0; i < 10; i++)); do
        (($("./$1") % $2 == 0)) || return 1
    done
}

it "shows p_align and the load address as two facts"
for pages in 1 16 512; do
    size=$((pages * $(getconf PAGESIZE)))
    unit=$(frlua -e "print(require 'frlua'.units.bytes($size))")
    gcc -O1 -pie -fPIE base.c -o base -Wl,-z,max-page-size=$size,-z,common-page-size=$size
    run frlua "$script" base
    status 0
    errors ''
    case $(field p_align) in
    "$unit at most, $pages page" | "$unit at most, $pages pages") ;;
    *) fail "p_align is not $unit" ;;
    esac
    output_has 'load address     10 starts at '
    seen=$(frlua - "$(field 'alignment seen')" <<<'
        print(require "frlua".units.parse_bytes(arg[1]:match "^(%d+ %a+) divides all"))')
    if all_multiples base $size; then
        ((seen % size == 0)) || fail "programs find themselves at multiples of $unit, seen was $seen"
    else
        ((seen % size != 0)) || fail "programs do not find themselves at multiples of $unit"
    fi
done

it "says that one address is no alignment, and that fixed ones are fixed"
if setarch -R true 2>/dev/null; then
    run setarch -R "$FRLUA" "$script" base
    status 0
    output_has '10 starts at 1 different place'
    output_has 'but one address says little'
    output_has 'ASLR off for this process'
fi
run frlua "$script" fixed
output_has 'alignment seen   fixed: 0 is added to the addresses in the file'

it "starts a program without letting it do anything"
cat >touches.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void touch(void) { creat("touched", 0600); }
int main(void) { return 0; }
END
gcc -O1 touches.c -o touches
run frlua "$script" ./touches
status 0
output_has '10 starts at '
output_has 'code huge, is    unknown: it was held before its first instruction'
[ ! -e touched ] || fail "it ran"
run frlua "$script" ./touches -- ./touches
status 0
[ -e touched ] || fail "a command did not run"

it "does not start a library, and looks at a command that loads it"
run frlua "$script" lib_lazy.so
status 0
output_has 'load address     unknown: a shared library is not started: a command can load it'
cat >waits.c <<'END'
#include <unistd.h>
extern int f(void);
int main(void) { char c; return read(0, &c, 1) == 1 ? f() : 0; }
END
gcc -O1 waits.c -o waits ./lib_lazy.so "-Wl,-rpath,$PWD"
run frlua "$script" lib_lazy.so -- ./waits
status 0
output_has 'load address     10 starts at '
[[ $(field 'code huge, is') =~ ^0\ B\ of\ .*\ on\ huge\ pages,\ .*\ resident$ ]] ||
    fail "its code is not looked at"

it "says whether the code could be on huge pages, and claims no more than was seen"
huge=$(frlua -e 'print(require "frlua".machine.huge_page_bytes or "")')
if [ -n "$huge" ]; then
    cat >large.c <<END
#include <unistd.h>
__asm__(".text\n.fill 2 * $huge, 1, 0x90\n");
int main(void) { char c; return (int)read(0, &c, 1); }
END
    gcc -O1 -pie -fPIE large.c -o large -Wl,-z,max-page-size="$huge"
    run frlua "$script" large -- ./large
    [[ $(field 'code huge, could') =~ ^yes:\ room\ for\ [12]\ huge\ pages? ]] || fail "it could"
    [[ $(field 'code huge, is') =~ ^[0-9.]+\ .?i?B\ of\ .*\ on\ huge\ pages,\ .*\ resident$ ]] ||
        fail "it is not looked at"
    gcc -O1 -pie -fPIE large.c -o large -Wl,-z,max-page-size="$(getconf PAGESIZE)"
    run frlua "$script" large
    [[ $(field 'code huge, could') =~ ^no:\ .*\ left\ to\ chance$ ]] || fail "nothing asks for it"
fi

it "refuses what is no ELF file, and blocks on none"
mkfifo fifo
run timeout 10 "$FRLUA" "$script" fifo
status 1
errors_have "frlua: 'fifo' is no regular file, but a FIFO"
run frlua "$script" main.c
status 1
errors_have "'main.c' is no ELF file: it begins with the bytes 23 69 6e 63"
run frlua "$script" /
status 1
errors_have "cannot read '/': Is a directory (EISDIR)"
for arguments in '' '--' 'lazy more' 'lazy --'; do
    # shellcheck disable=SC2086 # several arguments
    run frlua "$script" $arguments
    status 1
    errors_have "elf.lua FILE [-- command …], not"
done

it "agrees with readelf"
if command -v readelf >/dev/null && command -v python3 >/dev/null; then
    run python3 "$here/../oracle/elf_readelf.py" "$FRLUA" "$scratch"
    status 0
    run python3 "$here/../oracle/elf_readelf.py" "$FRLUA" --sample 60
    status 0
    output_has ' files compared, 0 differ'
fi

finish

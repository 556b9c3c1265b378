#!/bin/sh
# Stands before the compiler in Verilator's makefiles, as OBJCACHE, while any but the slow tests run.
#
# The libraries of Verilator and cocotb are the same in all builds: they are compiled once for all of
# them, and kept in the folder NOC_TESTS_KEPT. What is made of a network runs for a second or two,
# and is compiled without optimisation, which would take longer, and with the headers that it
# includes compiled before, which takes half of the time.
set -u
object='' source='' last='' options=''
for word do
    case $last:$word in
    *:*.cpp) source=$word ;;
    -o:*) object=$word ;;
    *:-o | *:-c | *:-MMD | *:-O?) ;;
    *) options="$options $word" ;;
    esac
    last=$word
done
[ -n "$object" ] || object=$(basename "$source" .cpp).o

# Whole at once: another build may be looking.
keep() {
    cp "$1" "$2.$$" && mv "$2.$$" "$2"
}

case $source in
*/verilated*.cpp | */verilator/verilator.cpp)
    # Of cocotb's program, whose network has a size of its own, those with equal ports.
    class=''
    case $source in */verilator/verilator.cpp) class=$(cat Vtop.h) ;; esac
    kept=$NOC_TESTS_KEPT/$(printf '%s' "$options$class" | cksum | tr ' ' -)-$object
    if [ -e "$kept" ]; then
        cp "$kept" "$object"
    else
        "$@" -O0 || exit
        keep "$object" "$kept"
    fi
    ;;
Vtop__ALL.cpp | */harness.cpp | */stress.cpp)
    headers=$NOC_TESTS_KEPT/$(printf '%s' "$options" | cksum | tr ' ' -)
    if [ ! -e "$headers/all.h.gch" ]; then
        mkdir -p "$headers"
        printf '#include <%s>\n' verilated.h verilated_dpi.h algorithm fstream map string vector \
            > "$headers/all.h.$$" && mv "$headers/all.h.$$" "$headers/all.h"
        $options -O0 -x c++-header -o "$headers/$$.gch" "$headers/all.h" 2> /dev/null &&
            mv "$headers/$$.gch" "$headers/all.h.gch"
    fi
    compiler=$1 && shift
    exec "$compiler" -include "$headers/all.h" "$@" -O0
    ;;
*) exec "$@" -O0 ;;
esac

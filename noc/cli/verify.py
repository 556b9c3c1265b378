"""``noc verify``: the emitted Verilog against the cycle model, transfer by transfer."""

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.traffic import add_traffic, build_runs
from noc.errors import InputError
from noc.simulators import SIMULATORS

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.verify import Report

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "simulate the Verilog and compare every transfer with the cycle model"
DESCRIPTION = (
    "Simulate the Verilog of a network under random traffic and stalls, and compare every "
    "transfer on every link, in every cycle, with the cycle model. The exit status is 1 if "
    "anything differs."
)
EXAMPLES = (
    "noc verify star:4",
    "noc verify --verilog out",
    "noc verify star:4 --traffic single --words 1 --waves one.vcd",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser, optional=True)
    arguments.add_tree_options(parser, root=False, hardware=True)
    arguments.add_design_options(parser)
    arguments.allow_folder(parser)
    parser.add_argument(
        "--verilog",
        metavar="DIR",
        type=arguments.path_name,
        help="verify the Verilog in a folder that 'noc generate' wrote, instead of SPEC",
    )
    add_traffic(parser, usual="mixture", usually="a mixture")
    _add_simulation(parser)
    arguments.add_json(parser)


def _add_simulation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--netlist",
        metavar="T",
        help="verify the synthesised netlist for a chip family instead of the Verilog: "
        f"{arguments.families()}",
    )
    parser.add_argument(
        "--mapping",
        choices=("plain", "best"),
        help="how the netlist is mapped, as in 'noc synth' (default: plain)",
    )
    first = next(iter(SIMULATORS))
    parser.add_argument(
        "--simulator",
        choices=tuple(SIMULATORS),
        default=first,
        help=f"the simulator (default: {first})",
    )
    endings = "; ".join(f"{s.name}: {' or '.join(s.endings)}" for s in SIMULATORS.values())
    parser.add_argument(
        "--waves",
        metavar="FILE",
        type=arguments.path_name,
        help=f"write waveforms; the suffix of FILE selects the format ({endings})",
    )
    parser.add_argument(
        "--keep",
        metavar="DIR",
        type=arguments.path_name,
        help="build in this new or empty folder and keep it",
    )


def run(options: argparse.Namespace) -> int:
    """Simulate, compare, tell."""
    from noc.synth import family
    from noc.synth.tools import yosys
    from noc.verify import verify, verify_files
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
    driven = waves is None and SIMULATORS[options.simulator].harness
    env = environment(options.simulator, cocotb=not driven)
    if waves is not None:
        check_waves(options.simulator, waves)
    verilog = None if options.verilog is None else read_folder(options.verilog)
    design = arguments.build_design(options) if verilog is None else verilog.design
    runs = build_runs(options, design)
    how: dict[str, Any] = {"simulator": options.simulator, "waves": waves}
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
    if options.json:
        output.write_json(_document(options, design, report))
    else:
        _print(options, design, report)
    return 0 if report.passed else 1


def _waves(options: argparse.Namespace) -> Path | None:
    path: Path | None = options.waves
    if path is None:
        return None
    allowed = SIMULATORS[options.simulator].endings
    if path.suffix not in allowed:
        endings = " or ".join(f"FILE{suffix}" for suffix in allowed)
        raise InputError(f"--waves {path}: {endings} is needed with {options.simulator}")
    if not path.parent.is_dir():
        raise InputError(f"--waves {path}: there is no directory {path.parent}")
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


def _facts(options: argparse.Namespace, design: "AnyDesign") -> dict[str, Any]:
    facts = {
        "network": design.network.spec,
        **arguments.design_facts(design),
        "simulator": options.simulator,
    }
    return facts if options.netlist is None else facts | {"netlist": options.netlist}


def _document(options: argparse.Namespace, design: "AnyDesign", report: "Report") -> dict[str, Any]:
    interface = report.interface
    return {
        **_facts(options, design),
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


def _print(options: argparse.Namespace, design: "AnyDesign", report: "Report") -> None:
    interface = report.interface
    streams = f"{len(interface.inject)} inject, {len(interface.eject)} eject"
    links = (
        f"{len(interface.links)} between nodes"
        if interface.links
        else "none between nodes, since none are listed"
    )
    idle = "" if interface.idle is None else "; every change of idle"
    facts = _facts(options, design) | {"compared": f"every transfer: {streams}, {links}{idle}"}
    if report.traced is not None:
        facts["waves"] = report.traced
    print(output.facts(facts), end="\n\n")
    columns = ("run", "words", "cycles", "events", "mismatches")
    rows: list[tuple[object, ...]] = [
        (r.run.name, r.words, r.cycles, r.events, r.comparison.mismatches) for r in report.runs
    ]
    rows.append(("all", "", report.cycles, report.events, report.mismatches))
    print(output.table(columns, rows))
    for run in report.runs:
        for line in run.comparison.first:
            print(f"\n{run.run.name}: {line}", end="")
    if report.trouble is not None:
        print(f"\n{report.trouble}", end="")
    what = "the Verilog" if options.netlist is None else f"the {options.netlist} netlist"
    verdict = f"{what} equals the model" if report.passed else f"{what} DIFFERS"
    seconds = f"build {report.build_seconds:.0f} s, simulation {report.run_seconds:.0f} s"
    print(f"\n{verdict} ({seconds})")

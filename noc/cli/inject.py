"""Give the hardware faults, and count what becomes of words.

Map the Verilog of a network to gates, and play one run of words many times, each time with another
fault: a flip-flop that changes its value in some cycle, a gate or flip-flop that is stuck at 0 or
1, or a link by which no word comes. A fault is masked (the sinks get all words in the same cycles),
late (all words in other cycles), detected (an alarm is up), wrong (a sink gets a wrong word, one
twice, words in a wrong order, or lacks one), or hung (words are no longer taken). The run without
a fault is compared with the cycle model. docs/faults.md says more.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result, Row, Table
from noc.cli.parsers import declare, whole_number
from noc.errors import InputError
from noc.faults.outcomes import OUTCOMES
from noc.files import check_file

if TYPE_CHECKING:
    from noc.faults.bench import Subject
    from noc.faults.campaign import Campaign
    from noc.faults.tally import Tally

EXAMPLES = (
    "noc inject star:3",
    "noc inject star:3 --protect tmr --injections all",
    "noc inject uhc:4 --faults stuck -o stuck.csv",
)

#: How many faults are drawn where nothing is asked for.
_INJECTIONS = 20_000

#: What asks for every fault.
_ALL = "all"

#: Words of each source where nothing is asked for, or fewer, so that sinks get about so many.
_WORDS, _TRANSFERS = 8, 10_000

#: Parts that people see.
_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser, optional=True)
    arguments.add_design_options(parser)
    arguments.allow_folder(parser, "give faults to")
    declare(
        parser,
        f"""
        --faults flip|stuck|link  what is wrong in each run: a flip-flop changes its value once; an
            output of a gate or flip-flop always has one value; the output that says that a word
            is on a link is stuck at 0 (default: flip)
        --injections N  how many faults are drawn by lot, or all: every one that there is, flips
            in every cycle (default: {_INJECTIONS}, or all if they are fewer)
        """,
        injections={"type": _count},
        faults={"default": "flip"},
    )
    usually = "words from all sources, and sinks that are often not ready"
    arguments.add_traffic(parser, usually, drains=True)
    declare(
        parser,
        """
        -o --output FILE  write the counts as CSV, batch by batch; a campaign that was interrupted
            goes on where its file ends
        --json
        """,
    )


def _count(text: str) -> int | str:
    return text if text == _ALL else whole_number(text)


def run(options: argparse.Namespace) -> Result:
    """Play all faults, and count."""
    from noc.faults.campaign import Campaign
    from noc.faults.tally import Tally, play
    from noc.synth.tools import yosys

    arguments.check_folder_or_spec(options)
    arguments.check_positive(options, "injections")
    if options.output is not None:
        check_file(options.output, f"-o {options.output}")
    yosys()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="noc-inject-") as folder:
        subject = _subject(options, Path(folder))
    campaign = Campaign(subject, options.faults, None, options.seed)
    asked = _INJECTIONS if options.injections is None else options.injections
    if asked != _ALL and asked < campaign.all:
        campaign = replace(campaign, count=asked)
    built, known = time.monotonic(), Tally()
    bar = output.progress_bar("faults")
    for known in play(campaign, options.output):
        if bar is not None:
            bar(known.total["injections"] / campaign.total)
    seconds = {"build_seconds": built - began, "seconds": time.monotonic() - built}
    return _result(options, campaign, known, seconds)


def _subject(options: argparse.Namespace, folder: Path) -> "Subject":
    """The design as gates, with what drives them."""
    from noc.faults.bench import build_subject, read_subject, usual_run
    from noc.verify.folder import read_folder

    verilog = None if options.verilog is None else read_folder(options.verilog)
    design = arguments.build_design(options) if verilog is None else verilog.design
    options.traffic = options.traffic or usual_run(design)
    if options.words is None and options.cycles is None:
        each = len(design.senders) * design.network.nodes
        options.words = max(1, min(_WORDS, _TRANSFERS // each))
    runs = arguments.build_runs(options, design)
    if len(runs) > 1:
        raise InputError(f"--traffic {options.traffic}: one run is needed, and not several")
    if verilog is None:
        return build_subject(design, runs[0], folder)
    return read_subject(design, verilog.manifest, verilog.sources, runs[0], folder)


def _result(
    options: argparse.Namespace, campaign: "Campaign", tally: "Tally", seconds: dict[str, float]
) -> Result:
    from noc.faults.tally import harm, metrics

    subject, total = campaign.subject, tally.total
    facts: dict[str, Any] = {
        "network": subject.design.network.spec,
        **arguments.design_facts(subject.design),
        "traffic": options.traffic,
        "words": subject.source.size,
        "cycles": subject.bench.busy,
        "flip_flops": len(subject.gates.registers),
        "gates": len(subject.gates.gates),
        "faults": campaign.kind,
        "possible": campaign.all,
        **{name: total[name] for name in ("injections", *OUTCOMES, "latent")},
        **metrics(total),
        **{name: round(value, 1) for name, value in seconds.items()},
    }
    rows = [*tally.rows()]
    shown: list[Row | Table | str] = [output.words(facts), Table(rows[:_SHOWN])]
    if len(rows) > _SHOWN:
        shown.append(f"and {len(rows) - _SHOWN} parts that do less harm: --json has all")
    broken = subject.design.protect != "none" and campaign.kind == "flip" and harm(total) > 0
    return Result({**facts, "parts": Table(rows)}, shown, status=int(broken))

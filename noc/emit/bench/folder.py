"""What the benches share: the manifest of the folder above, and where they build."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from simulators import SAFE

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))

NODES = MANIFEST["nodes"]
LABELS = [node["label"] for node in NODES]
SOURCES = [node for node in range(len(NODES)) if "inject" in NODES[node]]

ORDERED = MANIFEST["fabric"] == "ordered"
# Whether one source sends at a time.
TURNS = MANIFEST["fabric"] == "direct"
# In the timetable fabric the cycles of a round.
ROUND = MANIFEST.get("round")
# There who has words for whom, if not each node one for all others.
EXCHANGE = MANIFEST.get("exchange")
# How many sums of words each round has there, if words are added up.
SUMS = MANIFEST.get("sums")
# In the ordered fabric a node may get its own words back.
RETURNED = MANIFEST.get("own_words") == "returned"

# Whether sinks never stall: eject streams have no ready then.
ALWAYS_READY = MANIFEST.get("sinks") == "always-ready"

# Whether the queues of sinks that stall stop others before they are full.
QUEUED = MANIFEST.get("sinks") == "queued" and MANIFEST.get("ejects") != "one"

# Cycles from a pulse of the input that begins a round to its first phase, where there is one.
START_CYCLES = MANIFEST.get("start_cycles", 0)

# For how many rounds words may wait at each inject stream, where a round has the words of all nodes
# or of none; then the n-th word of a stream is of a round that is known.
KEPT_ROUNDS = MANIFEST.get("kept_rounds", 0)

# Whether a node has one eject stream there, in which the words of a round come in a known order.
ORDER = MANIFEST.get("ejects") == "one"

# Cycles from one round with words to the next at full speed: a word in a cycle leaves by a stream.
PERIOD = -(-max(len(node["order"]) for node in NODES) // ROUND) * ROUND if ORDER else ROUND

#: After so many cycles a sink that takes no word is given none; 0 for never.
SINK_TIMEOUT = MANIFEST.get("sink_timeout", 0)


def list_turns(numbers: list, after: list | None = None) -> list[int]:
    """The phases in which a stream gives the words of a round, in their order.

    Of each phase it has what the word is for, None for no word, and how many rounds later it is.
    """
    later = [0] * len(numbers) if after is None else [each or 0 for each in after]
    phases = (phase for phase, each in enumerate(numbers) if each is not None)
    return sorted(phases, key=lambda phase: later[phase] * len(numbers) + phase)


#: The module with endpoints around the network, or of its chips, if there is one.
ENDPOINTS = next(
    (MANIFEST[name] for name in ("axis", "node_clocks", "chips") if name in MANIFEST), None
)

#: The Verilog.
VERILOG = tuple(FOLDER / name for name in MANIFEST["files"] if name.endswith(".v"))


def list_streams(node: dict, side: str) -> list[dict]:
    """The streams of a node: one for each port where the manifest lists several."""
    streams = node.get(side, [])
    return streams if isinstance(streams, list) else [streams]


#: An eject stream; all are alike.
EJECT = next(stream for node in NODES for stream in list_streams(node, "eject"))


def find_field(stream: dict, name: str) -> dict | None:
    """Where a field lies in the payloads of a stream, if it is there."""
    return next((field for field in stream["fields"] if field["name"] == name), None)


@contextlib.contextmanager
def build_folder(simulator: str, bench: str) -> Iterator[Path]:
    """A folder that no other run uses, in a path that makefiles allow."""
    build = HERE / "build" / simulator / bench
    with contextlib.ExitStack() as stack:
        if not SAFE.fullmatch(str(build)):
            # Gone afterwards, as nobody would look for it.
            build = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="noc-bench-")))
            print(f"makefiles allow no spaces and signs in a path: building in {build}")
        build.mkdir(parents=True, exist_ok=True)
        lock(build)
        yield build


def lock(build: Path) -> None:
    """Refuse a folder that another run is using, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        return
    # Held until this process ends.
    held = os.open(build / "lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run of this bench is using {build}")


def fail(message: str, status: int) -> None:
    """End with one line."""
    print(f"{Path(sys.argv[0]).name}: error: {message}", file=sys.stderr)
    sys.exit(status)

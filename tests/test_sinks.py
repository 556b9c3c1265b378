"""Networks whose words never wait on their way down: a register a hop, and merges without buffers.

Their sinks are always ready, or have queues that stop the root.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from folders import generated, manifest_of
from hypothesis import given
from hypothesis import strategies as st
from ordered_runs import moved
from readable_ordered import Fabric
from readable_runs import as_given, differences, run_readable
from test_ordered_model import programs

from noc.cli import main
from noc.design import OrderedDesign, build_design
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.model import SINKS, TRAFFIC, all_sources, back_to_back, endless
from noc.model.direct import simulate
from noc.model.ordered import simulate_ordered
from noc.model.ordered.load import Stalls, run_load
from noc.programs.ordered import OrderedProgram
from noc.streams import Fork, Queue, Register, Valve
from noc.verify import mixture, name_runs, verify

DATA = Path(__file__).parent / "data"

#: With one to six merges at a node, one-way links, chains of single merges.
SPECS = [
    "star:3",
    "star:4",
    "uhc:4",
    "complete:7",
    "mesh:3,3",
    "tree:2,2",
    f"file:{DATA / 'one-way-ring.graphml'}",
    f"file:{DATA / 'path.json'}",
]

OPERATIONS = ["broadcast", "send", "all_reduce:sum", "reduce:max", "barrier"]


QUEUED = {"sinks": "queued", "queue": 3}


def build(spec: str, **options) -> OrderedDesign:
    return build_design(spec, **{"sinks": "always-ready", "width": 8} | options)


# Parts


def test_a_register_passes_on_every_word_in_a_cycle() -> None:
    words = [word for each in range(5) for word in (each, None)]
    taken = moved(Register(8), {"i": words}, {}, 14)["i"]
    assert [word for _, word in taken] == list(range(5))
    result = moved(Register(8), {"i": list(range(9))}, {"o": []}, 12)
    assert result["o"] == [(n + 1, n) for n in range(9)]


def test_a_valve_takes_no_word_while_it_is_stopped() -> None:
    for stop, taken in ((0, [(n, n) for n in range(9)]), (1, [])):
        result = moved(Valve(8), {"i": list(range(9))}, {"o": []}, 9, {"stop": stop})
        assert result["i"] == taken
        assert result["o"] == [(cycle + 1, word) for cycle, word in taken[:-1]]


@pytest.mark.parametrize("depth", [3, 4, 9])
def test_a_queue_without_ready_is_as_one_that_is_never_full(depth: int) -> None:
    words, pattern = [1, None, 2, None, 3, 4, 5, None, None, 6], [0, 1, 1]
    freely = moved(Queue(8, depth=depth, always_ready=True), {"i": words}, {"o": pattern}, 24)
    assert freely == moved(Queue(8, depth=depth), {"i": words}, {"o": pattern}, 24)
    assert [word for _, word in freely["o"]] == [1, 2, 3, 4, 5, 6]


def test_a_fork_without_ready_gives_each_word_to_all_that_it_is_for() -> None:
    dut = Fork(8, outputs=2, always_ready=True)
    result = moved(dut, {"i": [1, 2, 3]}, {"o__0": [], "o__1": []}, 4, {"skip": 2})
    assert result["o__0"] == [(0, 1), (1, 2), (2, 3)]
    assert result["o__1"] == []


# The plan


def test_a_node_has_one_buffer_on_the_way_up() -> None:
    for spec in SPECS:
        program = build(spec).program
        for plan in program.plans:
            *bare, last = [merge.slots for merge in plan.merges] or [1]
            assert plan.down_slots == (not plan.root)
            assert last == 1 or not plan.root
            assert bare.count(0) == len(bare) or len(plan.merges) > 3
    assert all(
        merge.slots for plan in build_design("star:4").program.plans for merge in plan.merges
    )


def test_two_buffers_that_pass_on_ready_never_follow_each_other() -> None:
    for spec in [*SPECS, "ring:9", "star:5"]:
        program = build(spec).program
        passing = [plan.merges[-1:] and plan.merges[-1].slots == 1 for plan in program.plans]
        for node, parent in enumerate(program.up_parent.tolist()):
            if parent >= 0 and passing[program.plan[node]]:
                assert program.root == parent or not passing[program.plan[parent]]


def test_a_word_takes_fewer_cycles_than_with_sinks_that_may_stall() -> None:
    for spec in ("star:4", "star:5", "mesh:8,8", "uhc:6"):
        lean, elastic = build(spec).program, build_design(spec).program
        assert (lean.up <= elastic.up).all()
        assert lean.up.sum() < 0.9 * elastic.up.sum()
        assert np.array_equal(lean.down_cycles, elastic.down_cycles)


# The models


def test_sinks_that_stall_are_refused_by_every_model() -> None:
    program = build("star:3").program
    stalling = all_sources(program, 1).taken_by(SINKS["half"](6, 1))
    with pytest.raises(InputError, match=r"^ready: sinks stall"):
        simulate_ordered(program, stalling)
    with pytest.raises(InputError, match=r"^sinks: stall"):
        run_load(program, 0.1, 10, sinks=Stalls(0.1, 4))


# Queues that stop the root


def levels(program: OrderedProgram, cycles: int, width: int = 8) -> np.ndarray:
    """The most words that ever waited for each sink: none is taken for long, and all send."""
    nodes = range(program.network.nodes)
    stalls = np.ones((cycles, len(nodes)), dtype=np.bool_)
    stalls[: cycles - 1] = False
    traffic = endless(program, cycles).whole.taken_by(stalls)
    fabric = Fabric(program, width, as_given(width, traffic))
    queues = [fabric.queues[node] for node in nodes]
    most = np.zeros(len(nodes), dtype=np.int64)
    for _ in range(cycles - 1):
        fabric.step()
        most = np.maximum(most, [len(queue.words) for queue in queues])
    return most


@pytest.mark.ci
@given(programs().filter(lambda program: program.config.stops))
def test_queues_fill_to_the_last_slot_and_no_further(program: OrderedProgram) -> None:
    depth = np.array([program.plan_of(node).depth for node in range(program.network.nodes)])
    most = levels(program, int(depth.max()) * 4 + 60)
    # The one that stops the root first is the nearest to it. Own words may not come.
    assert (most <= depth).all()
    if program.config.own_words:
        assert most[program.root] == depth[program.root]
        assert depth[program.root] == program.config.queue + 2 + program.config.lookahead


@pytest.mark.ci
@given(programs().filter(lambda program: program.config.stops), st.integers(0, 99))
def test_a_sink_that_is_never_ready_ends_a_run(program: OrderedProgram, seed: int) -> None:
    ready = np.ones((3, program.network.nodes), dtype=np.bool_)
    ready[:, seed % program.network.nodes] = False
    ready[1:] = False
    traffic = TRAFFIC["dense"](program, 30, seed).whole.taken_by(ready)
    one = simulate_ordered(program, traffic, width=8)
    # A source does not wait for its own sink, where it drops its own words.
    assert one.end == "starved" or program.sources == (seed % program.network.nodes,)
    assert differences(one, run_readable(program, 8, as_given(8, traffic))) == []


def test_sinks_that_stall_get_what_a_queue_that_is_long_enough_gives_them() -> None:
    passed = []
    for queue in (2, 8, 32, 128):
        program = build("star:4", sinks="queued", queue=queue).program
        ran = run_load(program, 1, 4_000, warm_up=400, drain=400, sinks=Stalls(0.02, 20))
        passed.append(ran.passed)
    assert passed == sorted(passed)
    assert passed[-1] > 1.5 * passed[0]


@pytest.mark.ci
def test_a_queue_that_stops_the_root_has_the_words_that_were_asked_for(tmp_path: Path) -> None:
    for options in ({"queue": 0}, {"queue": 1}):
        with pytest.raises(InputError, match=r"^queue=\d: queued sinks need a queue of at least 2"):
            build("star:3", sinks="queued", **options)
    arguments = ("star:3", "--sinks", "queued", "--queue", "5", "--link-registers", "1")
    folder = generated(tmp_path / "out", *arguments)
    manifest = manifest_of(folder)
    assert (manifest["sinks"], manifest["queue"]) == ("queued", 5)
    root = manifest["root"]
    depth = {node["label"]: node["queue_depth"] for node in manifest["nodes"]}
    assert depth[root] == min(depth.values()) == 7
    # Two hops up and two down at each node that is two hops from the root, each of two cycles.
    assert max(depth.values()) > 7 + 2 * 4
    assert all("ready" in node["eject"] for node in manifest["nodes"])
    assert main(["verify", "--verilog", str(folder), "--words", "9"]) == 0


# The Verilog


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("star:4", {}),
        ("complete:7", {"source_numbers": False, "link_registers": 1}),
        ("mesh:3,2", {"operations": OPERATIONS}),
        ("star:4", {"fabric": "direct"}),
        ("uhc:3", {"fabric": "direct", "rom": "block", "link_registers": 1}),
        ("star:3", {"fabric": "direct", "sources": [2]}),
        ("star:3", QUEUED),
        ("mesh:3,2", {"operations": OPERATIONS, "link_registers": 1} | QUEUED),
    ],
    ids=[
        *("star", "complete-registers", "operations", "direct", "direct-block", "one-source"),
        "queued",
        "queued-operations",
    ],
)
def test_the_verilog_equals_the_model(tmp_path: Path, spec: str, options) -> None:
    design = build(spec, **options)
    runs = mixture(design, words=12, cycles=None, seed=1)
    assert len(runs) >= (2 if design.fabric == "direct" else 4)
    assert verify(design, runs, tmp_path).passed
    manifest = build_manifest(design, [])
    waiting = {link.get("carries") for link in manifest["links"] if "ready" in link}
    assert waiting <= {"up", "join"}
    assert all(("ready" in node["eject"]) != design.always_ready for node in manifest["nodes"])


# The direct fabric


@pytest.mark.ci
def test_a_direct_network_whose_sinks_are_always_ready_moves_words_in_the_same_cycles() -> None:
    for options in ({}, {"rom": "block", "link_registers": 1}):
        programs = [
            build("star:4", fabric="direct", sinks=sinks, **options).program
            for sinks in ("stalling", "always-ready")
        ]
        traffic = back_to_back(programs[0], 5, 30, seed=2)
        one, other = (simulate(program, traffic) for program in programs)
        assert one.events.tuples() == other.events.tuples()
        assert one.delivered == other.delivered == 23 * 30
        with pytest.raises(InputError, match=r"^ready: sinks stall"):
            simulate(programs[1], traffic.taken_by(SINKS["half"](24, 1)))


def test_a_direct_network_has_a_register_a_hop() -> None:
    sizes = []
    for sinks in ("stalling", "always-ready"):
        verilog = modules(build("star:4", fabric="direct", sinks=sinks))
        text = "".join(module.text for module in verilog)
        sizes.append(sum(int(n or 0) + 1 for n in re.findall(r"reg (?:\[(\d+):0\] )?\w+ =", text)))
    assert sizes[1] < 0.6 * sizes[0]


# Folders and commands


@pytest.mark.ci
def test_a_folder_has_no_ready_where_words_are_always_taken(cli, tmp_path: Path) -> None:
    folder = generated(tmp_path / "out", "star:3", "--sinks", "always-ready")
    manifest = manifest_of(folder)
    assert manifest["sinks"] == "always-ready"
    assert all("ready" not in node["eject"] for node in manifest["nodes"])
    assert all("ready" in node["inject"] for node in manifest["nodes"])
    assert {link["carries"] for link in manifest["links"] if "ready" not in link} == {"down"}
    bits = sum(field["bits"] for field in manifest["links"][0]["fields"])
    streams = [stream for arc in manifest["arcs"] for stream in arc["streams"]]
    assert {s["wires"] - bits for s in streams if s["carries"] == "down"} == {1}
    cli.out("verify", "--verilog", folder, "--traffic", "full", "--words", "9")


def test_traffic_has_no_sinks_that_stall() -> None:
    assert [each.name for each in name_runs(build("star:3"), words=1)] == [
        *("single:always", "back-to-back:always", "full:always", "dense:always"),
        *("sparse:always", "endless:always"),
    ]


@pytest.mark.ci
def test_an_axi_stream_has_no_tready_there(tmp_path: Path) -> None:
    arguments = ("star:3", "--width", "16", "--sinks", "always-ready", "--axi-stream")
    entries = manifest_of(generated(tmp_path / "out", *arguments))["axis"]["nodes"]
    assert all("tready" in entry["s_axis"] and "tready" not in entry["m_axis"] for entry in entries)

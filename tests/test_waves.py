"""Waveforms: names that a person can read, the transfers of the model, and what streams show."""

from collections import Counter
from pathlib import Path

import pytest
from folders import bench, manifest_of
from shown import differences, names, rising, told_by_model

from noc.design import build_design, build_direct
from noc.emit.folder import write
from noc.emit.verilog import modules
from noc.model import simulate
from noc.networks import build_network
from noc.verify import run, verify
from noc.verify.runs import name_runs
from noc.verify.simulation import Simulation

pytestmark = pytest.mark.usefixtures("own_operators")

FIELDS = ("valid", "ready", "data")


def check_streams(built, known):
    """Every node has its streams with their fields."""
    for label in map(built.network.label, range(4)):
        seen = {name for *scopes, name in known if scopes == ["noc_bench", f"node_{label}"]}
        wanted = {f"{s}__{f}" for s in ("inject", "eject") for f in ("valid", "ready", "data")}
        fields = ("valid", "ready", "code", "data")
        in_ports = [stream for stream in ("in_0", "in_1") if f"{stream}__code" in seen]
        assert seen == wanted | {f"{stream}__{f}" for stream in in_ports for f in fields}
        assert in_ports


def check_inside(built, known):
    """The routers are seen inside, and no name is made up."""
    for label in map(built.network.label, range(4)):
        scope = ("noc_bench", "dut", f"node_{label}")
        assert {(*scope, "row_fork", "pending"), (*scope, "buffers", "occupied")} <= set(known)
        assert {(*scope, f"in_0__payload_{field}") for field in ("code", "data")} & set(known)
    odd = [name for name in known if any(part.startswith(("$", "_")) for part in name[1:])]
    assert odd == []


def check_transfers(built, known, one, path):
    """The waveform holds the transfers of the model."""
    events = simulate(built.program, one.traffic).events
    inject = built.program.inject
    brief = {inject: "inject", -1: "eject", **{p: f"in_{p}" for p in range(inject)}}
    expected = Counter(
        (built.network.label(node), brief[port], one.traffic.whole.payload(word, 8))
        for node, port, word in zip(
            events.node.tolist(), events.port.tolist(), events.word.tolist(), strict=True
        )
    )
    streams = [
        (name[1].removeprefix("node_"), name[2].removesuffix("__valid"), name[:2])
        for name in known
        if name[1].startswith("node_") and name[2].endswith("__valid")
    ]
    reset, got = known["noc_bench", "rst"], Counter()
    for value in rising(path, known["noc_bench", "clk"]):
        for label, stream, scope in streams:
            valid, ready, data = (known[(*scope, f"{stream}__{f}")] for f in FIELDS)
            if value[valid] and value[ready] and not value[reset]:
                got[label, stream, value[data]] += 1
    assert got == expected


@pytest.mark.cocotb
@pytest.mark.ci
def test_a_waveform_shows_streams_and_routers_and_the_transfers_of_the_model(tmp_path):
    built = build_direct(build_network("uhc:2"), width=8)
    one = run(built, "back-to-back:half", words=3, cycles=None, seed=1)
    path = tmp_path / "w.vcd"
    report = verify(built, [one], tmp_path, waves=path)
    assert report.passed
    assert report.traced == "every stream by node, and every signal inside"
    known = names(path)
    check_streams(built, known)
    check_inside(built, known)
    check_transfers(built, known, one, path)
    assert differences(built, one.traffic, path) == []


@pytest.mark.parametrize("ports", ["all", "one"])
def test_no_name_in_the_verilog_is_made_up(ports):
    built = build_direct(build_network("star:3"), ports=ports, width=8)
    for module in modules(built):
        assert "\\$" not in module.text


def test_modules_that_stand_often_are_compiled_once(tmp_path):
    source = tmp_path / "router.v"
    source.write_text("module router;\nmodule other;")
    counts = {"router": 4, "other": 3, "absent": 9}
    assert Simulation(tmp_path, (source,), counts).job.repeated == ("router",)


@pytest.mark.cocotb
@pytest.mark.slow
def test_fst_is_written_or_what_it_needs_is_named(tmp_path, cli, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    waves = tmp_path / "w.fst"
    command = ("verify", "uhc:2", "--traffic", "single", "--waves", waves)
    if not Path("/usr/include/lz4.h").exists():
        assert "lz4.h (lz4)" in cli.refusal(*command)
        return
    cli.out(*command)
    assert waves.stat().st_size > 500
    assert [path.name for path in tmp_path.iterdir()] == [waves.name]


@pytest.mark.cocotb
@pytest.mark.slow
def test_the_bench_in_the_folder_writes_waves(tmp_path):
    write(build_direct(build_network("uhc:2"), width=8), tmp_path / "out")
    waves = tmp_path / "w.vcd"
    bench(tmp_path / "out", "run.py", "--waves", waves)
    known = manifest_of(tmp_path / "out")
    inside = {name[-2:] for name in names(waves)}
    assert {(known["top"], link["valid"]) for link in known["links"]} <= inside
    wrong = bench(tmp_path / "out", "run.py", "--waves", "w.png", status=2)
    assert "FILE.vcd or FILE.fst is needed" in wrong.stderr


DESIGNS = {
    "ordered": ("ring:4", {}),
    "larger": ("mesh:3,2", {}),
    "one VC": ("star:3", {"fabric": "direct", "sources": "one"}),
    "one port": ("star:3", {"fabric": "direct", "ports": "one"}),
    "relays": ("star:3", {"fabric": "direct", "sources": "one", "link_registers": 1, "queue": 2}),
    "registers": ("star:3", {"link_registers": 2, "queue": 2}),
    "some sources": ("uhc:3", {"sources": [2, 5], "own_words": "return"}),
    "always ready": ("star:3", {"sinks": "always-ready"}),
    "queued": ("star:3", {"sinks": "queued", "queue": 2}),
}

SOME = {"groups": {"some": ["0.0", "1.1", "2.0"]}}
OPERATIONS = {
    "joins": ("ring:4", {"operations": ["all_reduce:sum", "barrier"]}),
    "all": ("tree:2,2", {"operations": ["broadcast", "send", "gather", "reduce:max", "barrier"]}),
    "groups": ("mesh:3,2", {"operations": ["multicast@some", "barrier@some"], **SOME}),
    "waiting": ("ring:4", {"operations": ["broadcast", "all_reduce:sum"], "group_queue": 4}),
    "own": ("ring:4", {"operations": ["broadcast", "reduce:bor"], "own_words": "return"}),
    "own operator": ("tree:2,2", {"operations": ["broadcast", "all_reduce:own-late", "barrier"]}),
    "both": ("uhc:3", {"operations": ["send", "barrier"], "link_registers": 2, "queue": 2}),
    "sinks": (
        "mesh:3,2",
        {"operations": ["broadcast", "all_reduce:sum", "barrier"], "sinks": "always-ready"},
    ),
}


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", [*DESIGNS, *OPERATIONS])
def test_streams_show_what_the_waveform_shows(name: str, tmp_path: Path) -> None:
    spec, options = (DESIGNS | OPERATIONS)[name]
    built = build_design(spec, width=16, **options)
    if name in OPERATIONS:
        # Without pauses links are full, so that one kind of words waits where another goes on.
        traffic, words = "mixed:bursty" if name in ("all", "both") else "wrong:half", 20
    else:
        traffic, words = "single:half" if built.sources == "one" else "full:half", 5
    if built.always_ready:
        traffic = traffic.partition(":")[0]
    (one,) = name_runs(built, traffic, words=words, seed=1)
    path = tmp_path / "w.vcd"
    assert verify(built, [one], tmp_path, waves=path).passed
    assert differences(built, one.traffic, path) == []
    # Words waited, and streams were ready without one.
    shown = {
        (word is not None, ready)
        for stream in told_by_model(built, one.traffic).values()
        for word, ready in stream
    }
    assert len(shown) == 4

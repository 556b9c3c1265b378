"""Tables that are written while the network runs: rows around what fails, and the ring to them."""

import re
import sys
from functools import cache
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from folders import copied, generated, manifest_of
from helpers import edit, started, strong_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from ordered_runs import run_bench
from verilog_files import compared
from verilog_files import written as verilog_of

from noc.design import Design, build_design
from noc.errors import InputError
from noc.hardware import BroadcastNetwork
from noc.model import simulate
from noc.model.traffic import back_to_back
from noc.networks import Network
from noc.programs import Program, check_spanning
from noc.programs.by_source import Row, check_served, lost_nodes, rows_in, with_rows
from noc.programs.load_words import LoadFormat, read_rows, write_lines
from noc.programs.repair import most_held, repair
from noc.verify import name_runs, verify, written


def designed(network: Network | str, **options) -> Design:
    design = build_design(network, fabric="direct", rom="writable", **options)
    assert isinstance(design, Design)
    return design


@cache
def programmed(spec: str) -> Program:
    return designed(spec).program


def arcs_of(network: Network) -> list[tuple[int, int]]:
    """The nodes at the ends of each link."""
    rows = enumerate(network.neighbour.tolist())
    return [(node, there) for node, row in rows for there in row if there >= 0]


def named(network: Network, links, nodes=()) -> str:
    label = network.label
    return ",".join([*map(label, nodes), *(f"{label(a)}/{label(b)}" for a, b in links)])


def deliveries(program: Program, source: int, links) -> list[int]:
    """How often each node gets a word, of which links that are dead lose all copies."""
    rows, count, waiting = rows_in(program), [0] * program.network.nodes, [source]
    while waiting:
        node = waiting.pop()
        row = rows[node, source]
        count[node] += row.deliver
        assert sum(count) <= len(count), "words go round in a circle"
        for port in row.sends:
            there = int(program.network.neighbour[node, port])
            if (node, there) not in links:
                waiting.append(there)
    return count


def check_around(program: Program, links, nodes) -> bool:
    """Whether words are led around where they can be: then each comes once to all that are left."""
    net, links = program.network, {*links}
    graph = nx.DiGraph(arc for arc in arcs_of(net) if arc not in links)
    graph.add_nodes_from(range(net.nodes))
    graph.remove_nodes_from(nodes)
    lost = named(net, links, nodes)
    connected = nx.is_strongly_connected(graph)
    try:
        found = repair(program, lost)
    except InputError:
        return not connected
    after = found.repaired
    check_served(after)
    # A link that is dead carries nothing, nor do those of a node.
    dead = links | {arc for arc in arcs_of(net) if {*arc} & {*nodes}}
    for source in set(range(net.nodes)) - {*nodes}:
        expected = [int(n != source and n not in nodes) for n in range(net.nodes)]
        assert deliveries(after, source, set()) == deliveries(after, source, dead) == expected
    assert not any(sum(deliveries(after, node, set())) for node in nodes)
    return True


@pytest.mark.cases(2)
@pytest.mark.parametrize("spec", ["star:3", "mesh:2,3", "uhc:3", "best:5", "complete:4"])
def test_any_two_dead_links_or_nodes_are_led_around(spec: str) -> None:
    """All sets of up to two, as far as what is left is connected."""
    program = programmed(spec)
    arcs, nodes = sorted({*arcs_of(program.network)}), range(program.network.nodes)
    sets = [((arc,), ()) for arc in arcs] + [((), (node,)) for node in nodes]
    sets += [(pair, ()) for pair in combinations(arcs, 2)]
    sets += [((arc,), (node,)) for arc in arcs for node in nodes if node not in arc]
    assert all(check_around(program, *each) for each in sets)


@pytest.mark.ci
@given(network=strong_graphs(), data=st.data())
@settings(max_examples=40)
def test_words_are_led_around_on_any_graph(network: Network, data: st.DataObject) -> None:
    program = designed(network).program
    check_spanning(program)
    links = data.draw(st.sets(st.sampled_from(arcs_of(network)), max_size=3))
    nodes = data.draw(
        st.sets(st.integers(0, network.nodes - 1), max_size=min(2, network.nodes - 2))
    )
    check_around(program, links, nodes)


@pytest.mark.ci
@given(data=st.data())
@settings(max_examples=15)
def test_what_was_written_before_does_not_matter(data: st.DataObject) -> None:
    program = after = programmed("star:4")
    for lost in (data.draw(st.sets(st.sampled_from(arcs_of(program.network)), max_size=2)), set()):
        found = repair(program, named(program.network, lost))
        after = with_rows(after, found.rows.values())
        assert rows_in(after) == rows_in(found.repaired)
    assert rows_in(after) == rows_in(program)


def test_only_sources_need_ways() -> None:
    """Nodes that never send need not reach anybody."""
    program = designed("star:3", sources=["123"]).program
    net = program.network
    found = repair(program, "213/123,321/123,123/213")
    count = deliveries(found.repaired, net.node("123"), set())
    assert count == [int(net.label(node) != "123") for node in range(6)]
    assert len(found.rows) == 6
    with pytest.raises(InputError, match="no path is left from 123 to 213"):
        repair(program, "123/213,312/213")


def test_tables_of_other_kinds_are_refused() -> None:
    program = build_design("star:3", fabric="direct").program
    with pytest.raises(InputError, match=r"rom.*'logic': tables have a row for each source"):
        repair(program, "123/213")


def test_sources_that_need_not_move_keep_their_trees() -> None:
    program, net = programmed("star:4"), programmed("star:4").network
    arc = arcs_of(net)[0]
    found = repair(program, named(net, [arc]))
    before = rows_in(program)
    port = net.neighbour[arc[0]].tolist().index(arc[1])
    users = [s for s in range(net.nodes) if port in before[arc[0], s].sends]
    assert found.moved == users
    assert 0 < len(users) < net.nodes


def test_only_what_depends_on_a_lost_node_moves() -> None:
    """Where it only received, other nodes lose nothing, and their rows stay as they are."""
    program = programmed("best:5")
    net, before = program.network, rows_in(program)
    for node in range(net.nodes):
        if any(before[node, source].sends for source in range(net.nodes) if source != node):
            continue
        found = repair(program, net.label(node))
        assert lost_nodes(found.repaired) == [node]
        others = [n for n in range(net.nodes) if n != node]
        rows = [(found.rows[n, s], before[n, s]) for n in others for s in others]
        assert all(row.deliver == old.deliver and row.sends <= old.sends for row, old in rows)
        return
    raise AssertionError("best:5 has no node that only receives")


# Words that write rows, and files of them.


@given(ports=st.integers(1, 6), bits=st.integers(1, 9), data=st.data())
def test_words_are_read_as_they_are_written(ports: int, bits: int, data: st.DataObject) -> None:
    number = st.integers(0, 2**bits - 1)
    sends = st.frozensets(st.integers(0, ports - 1))
    row = Row(data.draw(number), data.draw(number), data.draw(sends), data.draw(st.booleans()))
    load, first = LoadFormat(ports, bits), 0
    word = load.write(row)
    assert load.read(word) == row
    assert word < 2**load.bits
    # As the fields of the manifest say.
    values = {"sends": sum(1 << port for port in row.sends), "deliver": row.deliver}
    for name, width in load.fields.items():
        expected = values.get(name, getattr(row, name, 0) if name in ("node", "source") else 0)
        assert word >> first & (1 << width) - 1 == expected
        first += width


def test_a_file_is_read_as_it_is_written() -> None:
    net = programmed("star:4").network
    rows = [*repair(programmed("star:4"), named(net, [arcs_of(net)[0]])).rows.values()]
    lines = [*write_lines(net, rows, "title")]
    assert [*read_rows(net, lines)] == rows
    # As $readmemh has it.
    assert all(re.fullmatch(r"(|[0-9a-f]{4}  )//.*", line) for line in lines)


# Verilog.

CASES: list[tuple[str, dict, str]] = [
    ("star:3", {}, "123/213"),
    ("star:3", {"sinks": "always-ready", "link_registers": 1}, "231"),
    ("mesh:2,3", {"queue": 2, "width": 5}, "0.0/0.1,1.1/0.1"),
    ("uhc:3", {"link_registers": 1}, "000/001"),
    ("file:tests/data/mixed.json", {"sinks": "always-ready"}, ""),
    ("complete:5", {"sources": ["2"]}, "2/1,2/3,0"),
]


def cut(sources: list[Path], design: Design, links) -> None:
    """Let the links of the Verilog carry nothing: no word comes, and none is taken."""
    top, names = sources[0], {}
    for number, (node, port, there, _) in enumerate(design.program.links()):
        names[node, there] = (number, port)
    text = top.read_text(encoding="utf-8")
    label = [re.sub(r"\W", "_", design.network.label(n)) for n in range(design.network.nodes)]
    for node, there in links:
        wire = f"link_{label[node]}_{names[node, there][1]}"
        arrivals = rf"\.in_\d+__valid\({wire}__valid\)"
        assert len(re.findall(arrivals, text)) == 1
        text = re.sub(rf"(\.in_\d+__valid)\({wire}__valid\)", r"\1(1'b0)", text)
    top.write_text(text, encoding="utf-8")


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize(("spec", "options", "lost"), CASES)
def test_verilog_with_new_rows_is_as_the_model(
    spec: str, options: dict, lost: str, tmp_path: Path
) -> None:
    design = designed(spec, **options)
    rows = [*repair(design.program, lost).rows.values()]
    runs = name_runs(written(design, rows), "mixture", words=20, cycles=None, seed=1)
    report = verify(design, runs, tmp_path, rows=rows)
    assert report.passed, report.runs
    assert report.events > 100


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("sinks", ["stalling", "always-ready"])
def test_dead_links_are_survived_after_rows_are_written(sinks: str, tmp_path: Path) -> None:
    """The links are cut in the Verilog: words come with the new rows, and without do not."""
    design = designed("star:3", sinks=sinks)
    node = design.network.node
    links = [(node("123"), node("213")), (node("231"), node("321"))]
    rows = repair(design.program, named(design.network, links)).rows.values()
    for name, given_rows in (
        ("with", rows),
        ("without", ()),
        # A row that is lost on the way is told.
        ("less", [row for row in rows if row != changed(design, rows)]),
    ):
        folder = tmp_path / name
        folder.mkdir()
        sources = verilog_of(design, folder)
        cut(sources, design, links)
        runs = name_runs(written(design, given_rows), "single", words=6, cycles=400, seed=1)
        report = compared(design, sources, runs, folder, rows=given_rows)
        assert report.passed == (name == "with"), name


def changed(design: Design, rows) -> Row:
    """The first row that is not as before."""
    before = rows_in(design.program)
    return next(row for row in rows if row != before[row.node, row.source])


def test_a_component_takes_rows_while_it_waits() -> None:
    """In Amaranth's simulator, by the component's own ports, rows given one a cycle."""
    design = designed("star:3", sinks="always-ready", width=8)
    network = BroadcastNetwork(design)
    found = repair(design.program, named(design.network, [arcs_of(design.network)[0]]))
    source = found.moved[0]
    assert design.load_format is not None
    words = list(map(design.load_format.write, [*found.rows.values()]))

    async def bench(ctx) -> None:
        expected = arrivals(found.repaired, source)
        ctx.set(network.load.valid, 1)
        for word in words:
            ctx.set(network.load.payload, network.load.payload.shape().from_bits(word))
            await ctx.tick()
        ctx.set(network.load.valid, 0)
        for _ in range(design.network.nodes):
            assert ctx.get(network.loading)
            await ctx.tick()
        assert not ctx.get(network.loading)
        inject = getattr(network, f"inject_{network.names[source]}")
        ctx.set(inject.valid, 1)
        ctx.set(inject.payload, 0x5A)
        assert ctx.get(inject.ready)
        seen = {}
        for cycle in range(20):
            for node, name in enumerate(network.names):
                eject = getattr(network, f"eject_{name}")
                if ctx.get(eject.valid):
                    assert ctx.get(eject.payload) == 0x5A
                    assert node not in seen
                    seen[node] = cycle
            await ctx.tick()
            ctx.set(inject.valid, 0)
        assert seen == expected

    run_bench(network, bench)


def arrivals(program: Program, source: int) -> dict[int, int]:
    """When a word of the model alone comes to each other node."""
    run = simulate(program, back_to_back(program, source, 1), arrival=True)
    assert run.arrival is not None
    return {node: cycle for node, cycle in enumerate(run.arrival[0].tolist()) if cycle >= 0}


# Folders and commands.


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    words = ("mesh:2,3", "--fabric", "direct", "--rom", "writable")
    return generated(tmp_path_factory.mktemp("repair") / "out", *words)


@pytest.mark.ci
def test_the_command_writes_what_verify_loads(folder: Path, tmp_path: Path, cli) -> None:
    file = tmp_path / "around.hex"
    facts = cli.facts("repair", folder, "--without", "0.0/0.1,1.2", "-o", file)
    assert facts["nodes_lost"] == ["1.2"]
    assert facts["words"] == len(facts["load"]) == facts["cycles"] - 6
    assert facts["word_bits"] == 4 + 1 + 3 + 3
    words = [line.partition("//")[0] for line in file.read_text().splitlines()]
    assert [int(word, 16) for word in words if word] == facts["load"]
    found = cli.facts("verify", "--verilog", folder, "--tables", file, "--words", 5)
    assert found["mismatches"] == 0
    assert (found["rows_written"], found["nodes_lost"]) == (36, ["1.2"])
    assert found["events"] > 100
    # All rows as they were.
    facts = cli.facts("repair", folder)
    assert (facts["words"], facts["sources_that_move"]) == (36, [])


def test_a_reset_loses_what_the_network_can_hold(folder: Path, cli) -> None:
    assert cli.facts("repair", folder)["most_words_lost_by_a_reset"] == 12
    more = designed("mesh:2,3", link_registers=1, queue=3).program
    # Two slots at each of 6 nodes and 14 links, and the queues.
    assert most_held(more) == 2 * (6 + 14) + 3 * 6
    assert most_held(designed("mesh:2,3", sinks="always-ready").program) == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("12 34", "line 1: '12 34' is no hexadecimal word of 11 bits"),
        ("// nothing\n800", "line 2: '800' is no hexadecimal word"),
        ("7ff", "line 1: 7ff is for none of the 6 nodes"),
        ("00f", "line 1: 00f: 0.0 has no out-port"),
        ("010", "line 1: 010: 0.0 gets its own words"),
        ("000", "received nothing"),
        ("\x00\udcff", "utf"),
    ],
)
def test_a_file_that_is_wrong_is_refused(
    folder: Path, tmp_path: Path, cli, text: str, message: str
) -> None:
    file = tmp_path / "x.hex"
    file.write_bytes(text.encode(errors="surrogateescape"))
    refusal = cli.refusal("verify", "--verilog", folder, "--tables", file)
    assert str(file) in refusal
    assert message in refusal


def test_what_cannot_be_repaired_is_refused(folder: Path, tmp_path: Path, cli) -> None:
    assert "no path is left" in cli.refusal("repair", folder, "--without", "0.0/0.1,0.0/1.0")
    assert "has no link" in cli.refusal("repair", folder, "--without", "0.0/1.2")
    assert "no node" in cli.refusal("repair", folder, "--without", "nowhere").lower()
    assert "no directory" in cli.refusal("repair", folder, "-o", tmp_path / "a" / "b")
    plain = tmp_path / "plain"
    cli.out("generate", "star:3", "--fabric", "direct", "-o", plain)
    assert "--rom writable" in cli.refusal("repair", plain, "--without", "123/213")
    assert "--rom writable" in cli.refusal("verify", "--verilog", plain, "--tables", "x")


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize(
    "spoil", [None, (".load_in__valid(load_4__valid)", ".load_in__valid(1'b0)")]
)
def test_the_bench_of_a_folder_writes_rows(folder: Path, tmp_path: Path, spoil) -> None:
    """As it is, and with a ring that is cut."""
    if spoil is not None:
        copied(folder, tmp_path)
        top = tmp_path / f"{manifest_of(folder)['top']}.v"
        edit(top, *spoil)
        folder = tmp_path
    run = started(sys.executable, folder / "bench" / "run.py", "--bench", "tables")
    assert f"TESTS=2 PASS={2 * (spoil is None)}" in run.stdout
    assert run.returncode == (spoil is not None)


@pytest.mark.ci
def test_the_page_shows_what_commands_print(tmp_path: Path, monkeypatch, cli) -> None:
    page = (Path(__file__).parent.parent / "docs" / "repair.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ noc (.*)\n((?:(?!\$).*\n)*)", block, re.MULTILINE)
    assert [command.split()[0] for command, _ in commands] == ["generate", "repair", "verify"]
    for command, shown in commands:
        printed = cli.out(*command.split())
        assert all(line in printed for line in shown.splitlines() if line != "...")


def test_rows_are_small() -> None:
    """A bit for each link and one for the node itself, for each source."""
    design = designed("star:4")
    assert design.program.rom_bits == 32 * (3 + 1)
    assert np.unique(design.program.table).size == 24

"""A cocotb bench for tables that are written while the network runs; run it with run.py.

It knows the network only from manifest.json.
"""

import random
from collections.abc import Iterator

import cocotb
from driver import SEED, Bench, numbered
from folder import LABELS, MANIFEST, NODES, SOURCES

LOAD = MANIFEST["load"]

#: By sender the links, each with the number of its out-port and the receiver.
LINKS = [[] for _ in NODES]
for arc in MANIFEST["arcs"]:
    port = LOAD["out_ports"].index(arc["out_port"])
    LINKS[LABELS.index(arc["from"])].append((port, LABELS.index(arc["to"])))

#: A link: the sender, and the number of its out-port.
Link = tuple[int, int]


def deep_tree(source: int, lost: set[Link], lots: random.Random) -> dict[int, tuple[Link, int]]:
    """Of each node that can be reached the link by which words come, and after how many hops."""
    tree: dict[int, tuple[Link, int]] = {}
    depth, stack = {source: 0}, [source]
    while stack:
        node = stack[-1]
        ways = [
            (port, to) for port, to in LINKS[node] if to not in depth and (node, port) not in lost
        ]
        if not ways:
            stack.pop()
            continue
        port, to = lots.choice(ways)
        depth[to] = depth[node] + 1
        tree[to] = (node, port), depth[to]
        stack.append(to)
    return tree


def rows_of(source: int, tree: dict[int, tuple[Link, int]]) -> Iterator[int]:
    """The words that write the rows of a tree."""
    links = {link for link, _ in tree.values()}
    for node in range(len(NODES)):
        sends = sum(1 << port for port, _ in LINKS[node] if (node, port) in links)
        row = {"sends": sends, "deliver": int(node in tree), "source": source, "node": node}
        yield sum(row[field["name"]] << field["first"] for field in LOAD["fields"])


async def write(bench: Bench, words: list[int]) -> None:
    """Give words to the stream, one a cycle, and wait until they are in their tables."""
    dut = bench.dut
    for word in words:
        dut[LOAD["valid"]].value, dut[LOAD["payload"]].value = 1, word
        await bench.step()
    dut[LOAD["valid"]].value = 0
    for _ in range(len(NODES)):
        assert int(dut[MANIFEST["loading"]].value), "no word seems to be under way"
        await bench.step()
    assert not int(dut[MANIFEST["loading"]].value), "words are under way for too long"


async def send_along(bench: Bench, trees: dict[int, dict[int, tuple[Link, int]]]) -> None:
    """A word of each source alone comes to each node by the hops of its tree, and no other."""
    own = MANIFEST["inject_cycles"] + MANIFEST["eject_cycles"]
    for source, tree in trees.items():
        bench.clear()
        bench.send(source, *numbered(source, 1))
        await bench.drain()
        expected = {to: own + hops * MANIFEST["hop_cycles"] for to, (_, hops) in tree.items()}
        assert bench.latencies(source) == expected, f"words of {LABELS[source]} go another way"


def draw_trees(lots: random.Random) -> dict[int, dict[int, tuple[Link, int]]]:
    """A deep tree of each source, around some link without which all can be reached."""
    sources = lots.sample(SOURCES, min(8, len(SOURCES)))
    links = [(node, port) for node, ways in enumerate(LINKS) for port, _ in ways]
    for lost in (*({link} for link in lots.sample(links, min(20, len(links)))), set()):
        trees = {source: deep_tree(source, lost, lots) for source in sources}
        if all(len(tree) == len(NODES) - 1 for tree in trees.values()):
            return trees
    raise AssertionError("manifest.json: arcs do not join the nodes")


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def rows_are_written_while_it_runs(dut) -> None:
    """After new rows are written, words go by them, and after others, by those."""
    bench, lots = Bench(dut), random.Random(SEED)
    await bench.reset()
    for _ in range(3):
        trees = draw_trees(lots)
        words = [word for source, tree in trees.items() for word in rows_of(source, tree)]
        lots.shuffle(words)
        await write(bench, words)
        await send_along(bench, trees)


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def reset_keeps_the_tables(dut) -> None:
    """Rows can be written while the network is in reset, which loses none."""
    bench, trees = Bench(dut), draw_trees(random.Random(SEED + 1))
    await bench.reset()
    reset = dut[MANIFEST["reset"]]
    reset.value = 1
    await write(bench, [w for source, tree in trees.items() for w in rows_of(source, tree)])
    reset.value = 0
    await send_along(bench, trees)

"""Every built-in graph against passagemath, networkx and the definitions of the papers."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, permutations, product

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.networks import Network, build_network

Edges = set[frozenset[str]]


@cache
def member(spec: str) -> Network:
    return build_network(spec)


def graph_of(net: Network) -> networkx.DiGraph:
    """The network by labels; each arc holds the pair of ports of each of its parallel links."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(net.label(node) for node in range(net.nodes))
    for node, port in product(range(net.nodes), range(net.ports)):
        if net.neighbour[node, port] >= 0:
            ends = net.label(node), net.label(int(net.neighbour[node, port]))
            ports = graph.edges[ends]["ports"] if graph.has_edge(*ends) else frozenset()
            pair = net.out_ports[port], net.in_ports[net.arrival[node, port]]
            graph.add_edge(*ends, ports=ports | {pair})
    return graph


def edges_of(net: Network) -> Edges:
    """Links without direction, all of which must carry words both ways."""
    arcs = set(graph_of(net).edges)
    assert arcs == {(head, tail) for tail, head in arcs}
    assert net.links == len(arcs) // 2
    return as_edges(arcs)


def as_edges(pairs) -> Edges:
    return {frozenset(pair) for pair in pairs}


@pytest.fixture(scope="module")
def sage():
    return pytest.importorskip("sage.graphs.graph_generators").graphs


def from_sage(graph) -> Edges:
    return as_edges((str(u), str(v)) for u, v in graph.edges(labels=False, sort=False))


PASSAGEMATH = [
    *(("star", "NStarGraph", (n,)) for n in range(2, 7)),
    *(("nk-star", "NKStarGraph", (n, k)) for n in range(2, 7) for k in range(1, n)),
    *(("hypercube", "CubeGraph", (n,)) for n in range(1, 8)),
    *(("bubble-sort", "BubbleSortGraph", (n,)) for n in range(2, 7)),
]


@pytest.mark.parametrize(("family", "generator", "parameters"), PASSAGEMATH)
def test_graphs_of_passagemath(sage, family: str, generator: str, parameters) -> None:
    net = member(f"{family}:{','.join(map(str, parameters))}")
    assert edges_of(net) == from_sage(getattr(sage, generator)(*parameters))


def swapped(label: str, i: int) -> str:
    symbols = list(label)
    symbols[0], symbols[i - 1] = symbols[i - 1], symbols[0]
    return "".join(symbols)


def strings(n: int, k: int) -> list[str]:
    return ["".join(order) for order in permutations("123456789"[:n], k)]


def star(n: int) -> Iterator[tuple[str, str]]:
    return ((p, swapped(p, d)) for p in strings(n, n) for d in range(2, n + 1))


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(3, 7) for k in range(2, n + 1)])
def test_incomplete_star_is_a_part_of_the_star(n: int, k: int) -> None:
    kept = {p for p in strings(n, n) if int(p[-1]) >= n - k + 1}
    expected = as_edges(pair for pair in star(n) if set(pair) <= kept)
    assert edges_of(member(f"incomplete-star:{n},{k}")) == expected
    assert set(graph_of(member(f"incomplete-star:{n},{k}"))) == kept


def differ_in_one(p: str, q: str) -> bool:
    return sum(a != b for a, b in zip(p, q, strict=True)) == 1


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(2, 7) for k in range(1, min(n, 4))])
def test_arrangement_by_definition(n: int, k: int) -> None:
    labels = strings(n, k)
    expected = as_edges((p, q) for p in labels for q in labels if differ_in_one(p, q))
    assert edges_of(member(f"arrangement:{n},{k}")) == expected


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(2, 7) for k in range(1, min(n, 5))])
def test_nk_star_by_definition(n: int, k: int) -> None:
    swaps = [(p, swapped(p, i)) for p in strings(n, k) for i in range(2, k + 1)]
    fetched = [(p, symbol + p[1:]) for p in strings(n, k) for symbol in set(strings(n, 1)) - set(p)]
    assert edges_of(member(f"nk-star:{n},{k}")) == as_edges(swaps + fetched)


@pytest.mark.parametrize("n", range(3, 7))
def test_scc_by_definition(n: int) -> None:
    lateral = [(f"{i}:{p}", f"{i}:{swapped(p, i)}") for p in strings(n, n) for i in range(2, n + 1)]
    ring = [*range(2, n + 1), 2]
    local = [(f"{i}:{p}", f"{j}:{p}") for p in strings(n, n) for i, j in pairwise(ring)]
    assert edges_of(member(f"scc:{n}")) == as_edges(lateral + local)


@pytest.mark.parametrize("n", range(2, 7))
def test_ccc_by_definition(n: int) -> None:
    corners = range(2**n)
    lateral = [(f"{i}:{p:0{n}b}", f"{i}:{p ^ 2**i:0{n}b}") for p in corners for i in range(n)]
    local = [(f"{i}:{p:0{n}b}", f"{(i + 1) % n}:{p:0{n}b}") for p in corners for i in range(n)]
    assert edges_of(member(f"ccc:{n}")) == as_edges(lateral + local)


sizes = st.lists(st.integers(1, 5), min_size=1, max_size=4).filter(lambda dims: max(dims) > 1)


def grid(dims: list[int], *, periodic: bool) -> Edges:
    """A grid of networkx; a loop round a dimension of size 1 is no link."""
    graph = networkx.grid_graph([1, *reversed(dims)], periodic=periodic)
    spelt = {node: ".".join(map(str, node[: len(dims)])) for node in graph}
    return as_edges((spelt[u], spelt[v]) for u, v in graph.edges if u != v)


@given(sizes, st.booleans())
def test_grids_of_networkx(dims: list[int], periodic: bool) -> None:
    net = build_network(f"{'torus' if periodic else 'mesh'}:{','.join(map(str, dims))}")
    assert edges_of(net) == grid(dims, periodic=periodic)
    assert net.symmetric or not periodic


def numbered(graph: networkx.Graph) -> Edges:
    return as_edges((str(u), str(v)) for u, v in graph.edges)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 16])
def test_ring_and_complete_of_networkx(n: int) -> None:
    assert edges_of(member(f"ring:{n}")) == numbered(networkx.cycle_graph(n))
    assert edges_of(member(f"complete:{n}")) == numbered(networkx.complete_graph(n))


@pytest.mark.parametrize(
    ("n", "form", "arity"),
    [
        *((n, "", arity) for n, arity in [(2, 1), (3, 2), (9, 8), (10, 3), (24, 5), (64, 8)]),
        *((256, "", 6), (10, ",luts", 6), (64, ",luts", 6), (4, ",luts", 3), (64, ",3", 3)),
    ],
)
def test_best_of_networkx(n: int, form: str, arity: int) -> None:
    """As measured: of at most eight children the fewest with which the tree is no higher."""
    expected = numbered(networkx.full_rary_tree(min(arity, n - 1), n))
    assert edges_of(member(f"best:{n}{form}")) == expected


@pytest.mark.parametrize(("arity", "height"), [(1, 1), (1, 5), (2, 1), (2, 4), (3, 3), (7, 2)])
def test_tree_of_networkx(arity: int, height: int) -> None:
    expected = numbered(networkx.balanced_tree(arity, height))
    assert edges_of(member(f"tree:{arity},{height}")) == expected


@pytest.mark.parametrize("n", range(2, 7))
def test_pancake_by_definition(n: int) -> None:
    turned = [(p, p[:d][::-1] + p[d:]) for p in strings(n, n) for d in range(2, n + 1)]
    assert edges_of(member(f"pancake:{n}")) == as_edges(turned)


def uhc(n: int, extra: int) -> dict[tuple[str, str], int]:
    """The arcs of a UHC, with the bit that each changes: where the polarity is positive."""
    result = {}
    for bits in product("01", repeat=n):
        for i in range(n):
            if (-1) ** (bits.count("1") + i + extra) == 1:
                place = n - 1 - i
                flipped = "10"[int(bits[place])]
                head = (*bits[:place], flipped, *bits[place + 1 :])
                result["".join(bits), "".join(head)] = i
    return result


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize(("suffix", "extra"), [("", 0), (",negative", 1)])
def test_uhc_by_its_polarity(n: int, suffix: str, extra: int) -> None:
    """Out-port and in-port i are the bits 2i and 2i+1."""
    expected = uhc(n, extra)
    graph = graph_of(member(f"uhc:{n}{suffix}"))
    assert set(graph.edges) == set(expected)
    for ends, bit in expected.items():
        assert graph.edges[ends]["ports"] == {(f"out {bit // 2}", f"in {bit // 2}")}


@pytest.mark.parametrize("n", range(2, 9))
def test_the_negative_uhc_is_the_positive_one_turned_round(n: int) -> None:
    there = set(graph_of(member(f"uhc:{n}")).edges)
    back = set(graph_of(member(f"uhc:{n},negative")).edges)
    assert {(head, tail) for tail, head in there} == back


SMALL = [
    "star:2", "star:3", "star:4", "star:5", "incomplete-star:4,2", "incomplete-star:4,3",
    "incomplete-star:4,4", "incomplete-star:5,3", "nk-star:2,1", "nk-star:4,1", "nk-star:4,2",
    "nk-star:4,3", "nk-star:5,2", "nk-star:5,3", "arrangement:4,1", "arrangement:4,2",
    "arrangement:4,3", "arrangement:5,2", "arrangement:5,3", "scc:3", "scc:4", "ccc:2", "ccc:3",
    "ccc:4", "ccc:5", "uhc:2", "uhc:3", "uhc:4", "uhc:5", "uhc:6", "uhc:6,negative", "uhc:7",
    "uhc:5,negative", "hypercube:1", "hypercube:2", "hypercube:5", "hypercube:6", "mesh:2",
    "mesh:3,4", "mesh:2,1,3", "mesh:4,4", "torus:2,2", "torus:2,3", "torus:4,4", "torus:3,1,2",
    "torus:2,2,3", "ring:2", "ring:3", "ring:4", "ring:9", "tree:1,3", "tree:2,3", "tree:3,2",
    "complete:2", "complete:3", "complete:6", "pancake:2", "pancake:3", "pancake:4",
    "pancake:5", "bubble-sort:3", "bubble-sort:4", "bubble-sort:5",
]  # fmt: skip


@pytest.mark.parametrize("spec", SMALL)
def test_diameter_of_networkx(spec: str) -> None:
    assert member(spec).diameter() == networkx.diameter(graph_of(member(spec)))


@given(st.sampled_from(SMALL), st.data())
def test_distances_of_networkx(spec: str, data) -> None:
    net = member(spec)
    root = data.draw(st.integers(0, net.nodes - 1))
    expected = networkx.single_source_shortest_path_length(graph_of(net), net.label(root))
    assert net.distances(root).tolist() == [expected[net.label(node)] for node in range(net.nodes)]


@pytest.mark.parametrize("spec", SMALL)
def test_symmetry_claims(spec: str) -> None:
    """Symmetric: by their groups, UHC of even n, and what is a star by another name."""
    family, first, *others = (member(spec).family, *member(spec).parameters)
    expected = (
        family in ("star", "scc", "hypercube", "ccc", "torus", "ring", "complete")
        or family in ("pancake", "bubble-sort")
        or (family == "uhc" and first % 2 == 0)
        or (family == "incomplete-star" and others == [first])
        or (family in ("nk-star", "arrangement") and others == [first - 1])
    )
    assert member(spec).symmetric == expected

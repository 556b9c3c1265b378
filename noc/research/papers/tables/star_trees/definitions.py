"""What the star-tree paper says of its graphs, substars and the tree Ψ at the top."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from math import factorial

from noc.networks import Network
from noc.research.papers.printed import figures
from noc.research.papers.tables.table import Row, Rows, build, reason, yes
from noc.trees.balanced import Part, substars

EXAMPLE_1, TEXT = Rows(), Rows()


def _matches(label: str, pattern: str) -> bool:
    return fnmatchcase(label, pattern.replace("*", "?"))


def _labels(net: Network) -> list[str]:
    return [net.label(node) for node in range(net.nodes)]


def _pattern(part: Part) -> str:
    free = () if part.name == "R" else part.free
    return "".join("*" if i in free else str(symbol) for i, symbol in enumerate(part.entry))


@EXAMPLE_1.add
def _substars() -> Iterator[Row]:
    """The substars of the star of 6 symbols: number, sizes, order, the pattern of each."""
    printed = {name: pattern for name, (pattern,) in figures("star-trees-example-1").items()}
    parts = {part.name: part for part in substars(6)}
    sizes = [parts[name].nodes for name in printed]
    yield Row("substars", 32, len(parts))
    yield Row("nodes in all of them", factorial(6), sum(sizes))
    larger_first = sizes == sorted(sizes, reverse=True)
    yield Row("ordered from larger to smaller", "yes", yes(larger_first))
    # With one more star in A the printed patterns hold each node once, and not as they are.
    labels, mended = _labels(build("star:6")), {**printed, "A": f"*{printed['A']}"}
    once = all(sum(_matches(label, p) for p in mended.values()) == 1 for label in labels)
    none = not any(_matches(label, printed["A"]) for label in labels)
    why = reason("star-trees-example-1", once and none)
    for name, pattern in printed.items():
        what = f"{name}, {parts[name].nodes} nodes"
        yield Row(what, pattern, _pattern(parts[name]), why if name == "A" else None)


@TEXT.each(range(3, 8), "S({}), ")
def _stars(n: int) -> Iterator[Row]:
    net, nodes = build(f"star:{n}"), factorial(n)
    yield Row("nodes n!", nodes, net.nodes)
    yield Row("edges (n-1)n!/2", (n - 1) * nodes // 2, net.links)
    yield Row("diameter ⌊3(n-1)/2⌋", 3 * (n - 1) // 2, net.diameter())
    yield Row("node-symmetric", "yes", yes(net.symmetric))
    what = f"nodes more than S({n - 1}): (n-1)(n-1)!"
    yield Row(what, (n - 1) * factorial(n - 1), net.nodes - build(f"star:{n - 1}").nodes)


@TEXT.each((n, k) for n in range(3, 7) for k in range(2, n))
def _incomplete_stars(n: int, k: int) -> Iterator[Row]:
    net, larger = (build(f"incomplete-star:{n},{size}") for size in (k, k + 1))
    name, part = f"C({k}) of S({n})", factorial(n - 1)
    yield Row(f"{name}, nodes in k parts of (n-1)!", k * part, net.nodes)
    what = f"C({k + 1}) of S({n}), nodes more than {name}: (n-1)!"
    yield Row(what, part, larger.nodes - net.nodes)
    yield Row(f"{name}, diameter that of S({n})", 3 * (n - 1) // 2, net.diameter())


@TEXT.add
def _worked_examples() -> Iterator[Row]:
    star = build("star:5")
    neighbour = star.neighbour[star.node("12345"), star.out_ports.index("4")]
    yield Row("g(4) of 12345", "42315", star.label(int(neighbour)))
    inside = [label for label in _labels(build("star:4")) if _matches(label, "*3*1")]
    yield Row("nodes of the substar *3*1", "2341 4321", " ".join(inside))
    # The tree inside B(1,4), a star of 3 symbols, starts with all its ports.
    (free,) = (part.free for part in substars(6) if part.name == "B(1,4)")
    children = " ".join(f"b(4,{position + 1})" for position in free[1:])
    yield Row("S(6), children of a(4) inside its subtree", "b(4,2) b(4,3)", children)


def _walk(label: str, *ports: int) -> str:
    for d in ports:
        label = label[d - 1] + label[1 : d - 1] + label[0] + label[d:]
    return label


@TEXT.add
def _misprints() -> Iterator[Row]:
    """The definitions that cannot be as printed; all for the star of 6 symbols."""
    root, ports, parts = "123456", range(2, 7), [part.name for part in substars(6)]
    back = all(_walk(root, i, i) == root for i in ports)
    why = reason("star-trees-equation-2", back)
    yield Row("b(i,j), equation 2", "g(i) of a(i)", "g(j) of a(i)", why)
    twice = all(_walk(root, 6, j, 6) == _walk(root, j, 6, j) for j in range(2, 6))
    pairs = [(i, j) for i in ports for j in ports if i != j]
    as_printed = 1 + len(ports) + sum(i < j for i, j in pairs) + len(pairs)
    what = "subtrees of Ψ with c(i,j) for all i from 2 to n, equation 3"
    yield Row(what, as_printed, len(parts), reason("star-trees-equation-3", twice))
    # C(6,i) has the symbol 6 at position i and the symbol i last.
    labels = {i: _walk(root, i, 6, i) for i in range(2, 6)}
    held = all((label[i - 1], label[5]) == ("6", str(i)) for i, label in labels.items())
    none = {*parts}.isdisjoint(f"C({i},6)" for i in range(1, 7))
    why = reason("star-trees-rule-r4b", held and none)
    yield Row("rule R4b, substar of c(i,n)", "C(i,n)", "C(n,i)", why)
    sizes = all(build(f"incomplete-star:6,{k}").nodes == k * factorial(5) for k in range(2, 7))
    what = "node set of C(k), a part for each last symbol i"
    yield Row(what, "S^i(i at n)", "S^1(i at n)", reason("star-trees-node-set", sizes))

"""What the star-tree paper says of its graphs, substars and the tree Ψ at the top."""

from math import factorial

from noc.networks import Network, build_network
from noc.research.papers.tables.table import Row, misprint
from noc.trees.balanced import Part, substars

__all__ = ["example_1", "rows"]

STARS = range(3, 8)
INCOMPLETE_STARS = [(n, k) for n in range(3, 7) for k in range(2, n)]

# Example 1: the printed pattern of each part.
EXAMPLE = {
    "A": "****1",
    **{f"C({i},2)": f"*{i}***2" for i in (1, 3, 4, 5, 6)},
    **{f"C({i},3)": f"**{i}**3" for i in (1, 2, 4, 5, 6)},
    **{f"C({i},4)": f"***{i}*4" for i in (1, 2, 3, 5, 6)},
    **{f"C({i},5)": f"****{i}5" for i in (1, 2, 3, 4, 6)},
    **{f"B({i},5)": f"****{i}6" for i in (1, 2, 3, 4)},
    **{f"B({i},4)": f"***{i}56" for i in (1, 2, 3)},
    **{f"B({i},3)": f"**{i}456" for i in (1, 2)},
    "B(1,2)": "*13456",
    "R": "123456",
}


def _matches(label: str, pattern: str) -> bool:
    return len(label) == len(pattern) and all(
        wanted in ("*", symbol) for symbol, wanted in zip(label, pattern, strict=True)
    )


def _labels(net: Network) -> list[str]:
    return [net.label(node) for node in range(net.nodes)]


def _pattern(part: Part) -> str:
    if part.name == "R":
        return "".join(str(symbol) for symbol in part.entry)
    return "".join(
        "*" if position in part.free else str(symbol) for position, symbol in enumerate(part.entry)
    )


def _six_stars_cover() -> bool:
    """Whether the printed patterns hold each node once if A gets one more star, and not else."""
    labels = _labels(build_network("star:6"))
    mended = {**EXAMPLE, "A": "*" + EXAMPLE["A"]}
    once = all(sum(_matches(label, p) for p in mended.values()) == 1 for label in labels)
    return once and not any(_matches(label, EXAMPLE["A"]) for label in labels)


def example_1() -> list[Row]:
    """The substars of the star of 6 symbols, each pattern, their number, sizes and order."""
    parts = {part.name: part for part in substars(6)}
    reason = misprint("star-trees-example-1", _six_stars_cover())
    result = [
        Row(
            f"{name}, {parts[name].nodes} nodes",
            printed,
            _pattern(parts[name]),
            reason if name == "A" else None,
        )
        for name, printed in EXAMPLE.items()
    ]
    sizes = [parts[name].nodes for name in EXAMPLE]
    larger_first = "yes" if sizes == sorted(sizes, reverse=True) else "no"
    return [
        Row("substars", 32, len(parts)),
        Row("nodes in all of them", factorial(6), sum(sizes)),
        Row("ordered from larger to smaller", "yes", larger_first),
        *result,
    ]


def _walk(label: str, *ports: int) -> str:
    for d in ports:
        label = label[d - 1] + label[1 : d - 1] + label[0] + label[d:]
    return label


def _star_facts(n: int) -> list[Row]:
    net = build_network(f"star:{n}")
    return [
        Row(f"S({n}), nodes n!", factorial(n), net.nodes),
        Row(f"S({n}), edges (n-1)n!/2", (n - 1) * factorial(n) // 2, net.links),
        Row(f"S({n}), diameter ⌊3(n-1)/2⌋", 3 * (n - 1) // 2, net.diameter()),
        Row(f"S({n}), node-symmetric", "yes", "yes" if net.symmetric else "no"),
        Row(
            f"S({n}), nodes more than S({n - 1}): (n-1)(n-1)!",
            (n - 1) * factorial(n - 1),
            net.nodes - build_network(f"star:{n - 1}").nodes,
        ),
    ]


def _incomplete_facts(n: int, k: int) -> list[Row]:
    net = build_network(f"incomplete-star:{n},{k}")
    larger = build_network(f"incomplete-star:{n},{k + 1}")
    what = f"C({k}) of S({n})"
    more = f"C({k + 1}) of S({n}), nodes more than {what}: (n-1)!"
    return [
        Row(f"{what}, nodes in k parts of (n-1)!", k * factorial(n - 1), net.nodes),
        Row(more, factorial(n - 1), larger.nodes - net.nodes),
        Row(f"{what}, diameter that of S({n})", 3 * (n - 1) // 2, net.diameter()),
    ]


def _worked_examples() -> list[Row]:
    star = build_network("star:5")
    there = star.label(int(star.neighbour[star.node("12345"), star.out_ports.index("4")]))
    inside = [label for label in _labels(build_network("star:4")) if _matches(label, "*3*1")]
    return [
        Row("g(4) of 12345", "42315", there),
        Row("nodes of the substar *3*1", "2341 4321", " ".join(inside)),
        Row(
            "S(6), children of a(4) inside its subtree",
            "b(4,2) b(4,3)",
            # The tree inside B(1,4), a star of 3 symbols, starts with all its ports.
            " ".join(f"b(4,{position + 1})" for position in _free(6, "B(1,4)")[1:]),
        ),
    ]


def _free(n: int, name: str) -> tuple[int, ...]:
    return next(part.free for part in substars(n) if part.name == name)


def _misprints() -> list[Row]:
    """The definitions that cannot be as printed; all for the star of 6 symbols."""
    root, ports = "123456", range(2, 7)
    back = all(_walk(root, i, i) == root for i in ports)
    twice = all(_walk(root, 6, j, 6) == _walk(root, j, 6, j) for j in range(2, 6))
    parts = list(substars(6))
    trivial = sum(i < j for i in ports for j in ports)
    as_printed = 1 + len(ports) + trivial + sum(i != j for i in ports for j in ports)
    names = {part.name for part in parts}
    held = all(_matches(_walk(root, i, 6, i), "".join(_fixed(6, i))) for i in range(2, 6))
    sizes = [build_network(f"incomplete-star:6,{k}").nodes == k * factorial(5) for k in range(2, 7)]
    return [
        Row(
            "b(i,j), equation 2",
            "g(i) of a(i)",
            "g(j) of a(i)",
            misprint("star-trees-equation-2", back),
        ),
        Row(
            "subtrees of Ψ with c(i,j) for all i from 2 to n, equation 3",
            as_printed,
            len(parts),
            misprint("star-trees-equation-3", twice),
        ),
        Row(
            "rule R4b, substar of c(i,n)",
            "C(i,n)",
            "C(n,i)",
            misprint(
                "star-trees-rule-r4b",
                held and names.isdisjoint(f"C({i},6)" for i in range(1, 7)),
            ),
        ),
        Row(
            "node set of C(k), a part for each last symbol i",
            "S^i(i at n)",
            "S^1(i at n)",
            misprint("star-trees-node-set", all(sizes)),
        ),
    ]


def _fixed(symbol: int, position: int) -> list[str]:
    """The pattern of C(symbol, position) in the star of 6 symbols."""
    pattern = ["*"] * 6
    pattern[position - 1], pattern[5] = str(symbol), str(position)
    return pattern


def rows() -> list[Row]:
    """Facts of the graphs, worked examples, misprinted definitions."""
    result = [row for n in STARS for row in _star_facts(n)]
    result += [row for n, k in INCOMPLETE_STARS for row in _incomplete_facts(n, k)]
    return [*result, *_worked_examples(), *_misprints()]

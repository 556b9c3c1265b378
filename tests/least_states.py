"""The least number of states of a tree of shortest paths, decided by SAT: for tiny networks."""

from itertools import combinations, count

import pytest

from noc.networks import Network


def possible(network: Network, states: int) -> bool:
    """Whether a tree of shortest paths from node 0 has at most so many distinct subtrees.

    Children have lower states than their parent, the leaf is state 0 and the root the highest;
    a link between distances is either in the tree or not, as the state of its sender says.
    """
    solvers = pytest.importorskip("pysat.solvers")
    fresh, hops = count(1), network.distances(0)
    nodes, ports, state = range(network.nodes), range(network.ports), range(states)
    holds = [[next(fresh) for _ in state] for _ in nodes]
    sends = [[next(fresh) for _ in ports] for _ in state]
    child = [[[next(fresh) for _ in range(k)] for _ in ports] for k in state]
    links = {
        (u, p): int(network.neighbour[u, p])
        for u in nodes
        for p in ports
        if network.neighbour[u, p] >= 0 and hops[network.neighbour[u, p]] == hops[u] + 1
    }
    used = {link: next(fresh) for link in links}
    with solvers.Solver("cadical153") as solver:
        for v in nodes:
            _exactly_one(solver, holds[v])
            if v:
                _exactly_one(solver, [used[link] for link in links if links[link] == v])
        for k in state:
            for p in ports:
                solver.add_clause([-sends[k][p], *child[k][p]])
                for pair in combinations(child[k][p], 2):
                    solver.add_clause([-x for x in pair])
        for u in nodes:
            for p in ports:
                for k in state:
                    if (u, p) not in links:
                        solver.add_clause([-holds[u][k], -sends[k][p]])
                        continue
                    edge, far = used[u, p], holds[links[u, p]]
                    solver.add_clause([-holds[u][k], -edge, sends[k][p]])
                    solver.add_clause([-holds[u][k], edge, -sends[k][p]])
                    for j in range(k):
                        solver.add_clause([-holds[u][k], -edge, -child[k][p][j], far[j]])
        solver.add_clause([holds[0][-1]])
        return bool(solver.solve())


def _exactly_one(solver: object, literals: list[int]) -> None:
    solver.add_clause(literals)  # type: ignore[attr-defined]
    for pair in combinations(literals, 2):
        solver.add_clause([-x for x in pair])  # type: ignore[attr-defined]

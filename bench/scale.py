"""Time, memory and ROM bits over the size of the network: python bench/scale.py [-o FILE].

Each case runs in a process of its own, so that its peak memory is its own. The times are of
this machine in this run; compare them with each other (seconds per million nodes over n), not
with other machines.
"""

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FAMILIES = [
    ("star:{}", "balanced", range(5, 11)),
    ("star:{}", "shortest", range(5, 11)),
    ("scc:{}", "shortest", range(4, 10)),
    ("scc:{}", "cyclic", range(4, 9)),
    ("uhc:{}", "bt2", range(6, 21, 2)),
    ("hypercube:{}", "shortest", range(6, 21, 2)),
]

# The program needs the symmetry verified as well, which costs more than the tree.
LARGEST_PROGRAM = 1_100_000


def measure(spec: str, algorithm: str) -> dict[str, Any]:
    """Build one tree, and its program where that is affordable, in this process."""
    from noc.networks import build_network
    from noc.programs import build_automaton
    from noc.trees import build_tree

    begin = time.perf_counter()
    net = build_network(spec)
    networked = time.perf_counter()
    tree = build_tree(net, algorithm)
    built = time.perf_counter()
    result = {
        "network": spec,
        "algorithm": algorithm,
        "nodes": net.nodes,
        "height": tree.height,
        "network_seconds": round(networked - begin, 4),
        "tree_seconds": round(built - networked, 4),
        "seconds_per_million_nodes": round((built - begin) / net.nodes * 1e6, 4),
        "tree_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
    }
    if net.nodes <= LARGEST_PROGRAM:
        begin = time.perf_counter()
        automaton = build_automaton(net, algorithm)
        result |= {
            "program_seconds": round(time.perf_counter() - begin, 4),
            "states": automaton.states,
            "automaton_rows": automaton.total_rows,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
        }
    return result


def main() -> None:
    """Run every case and print, or write, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", metavar="FILE", type=Path, help="write here instead of printing")
    parser.add_argument("--case", nargs=2, metavar=("SPEC", "ALGORITHM"), help="run only this one")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(*options.case)))
        return
    results = []
    for pattern, algorithm, sizes in FAMILIES:
        for n in sizes:
            command = [sys.executable, __file__, "--case", pattern.format(n), algorithm]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            results.append(json.loads(done.stdout))
            print(f"{pattern.format(n)} {algorithm}", file=sys.stderr)
    document = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cases": results,
    }
    text = json.dumps(document, indent=1)
    if options.o:
        options.o.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()

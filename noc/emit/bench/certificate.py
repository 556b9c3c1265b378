"""Check the certificate in manifest.json: no dependency cycle can close, so nothing deadlocks.

    python certificate.py

A word that waits in a buffer of a node may wait for a slot in one of a neighbour. The certificate
gives each buffer of each node a rank, that of the way up and that of the way down. If the rank
falls along every dependency, they make no cycle. Needs nothing but Python and the two JSON files.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent


def dependencies(manifest: dict, program: dict):
    """Every dependency: node and buffer of the word, and of the slot that it may wait for.

    On the way up (0) and down (1): for the parent, at the root to turn round, for children.
    """
    up, down = 0, 1
    yield (program["root"], up), (program["root"], down)
    for link in manifest["links"]:
        buffer = up if link["carries"] == "up" else down
        yield (link["from"], buffer), (link["to"], buffer)


def check(manifest: dict, program: dict) -> int:
    """Count the dependencies; ValueError names one along which the rank does not fall."""
    rows = zip(manifest["nodes"], manifest["certificate"], strict=True)
    rank = {node["label"]: row for node, row in rows}
    count = 0
    for (node, buffer), (there, awaited) in dependencies(manifest, program):
        if rank[node][buffer] <= rank[there][awaited]:
            raise ValueError(
                f"buffer {buffer} at {node}, rank {rank[node][buffer]}, may wait for "
                f"buffer {awaited} at {there}, rank {rank[there][awaited]}"
            )
        count += 1
    return count


def main() -> None:
    """Read the files of the folder above and check them."""
    manifest, program = (
        json.loads((FOLDER / name).read_text(encoding="utf-8"))
        for name in ("manifest.json", "program.json")
    )
    try:
        count = check(manifest, program)
    except ValueError as error:
        sys.exit(f"the certificate is WRONG: {error}")
    print(f"{count} dependencies, each to a lower rank: no cycle can close")


if __name__ == "__main__":
    main()

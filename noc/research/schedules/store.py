"""The best known schedules: a small file in the package, never trusted.

An entry holds, for each node, which of its in-links the word takes, zlib-compressed and in
base85; the steps follow from the tree. It is used only if the network's own arrays have the
fingerprint that they had when it was written, and then verified like any other tree.
"""

import base64
import hashlib
import json
import warnings
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.research.schedules.matching import Links, links_of
from noc.trees.tree import NO_PARENT, depths, earliest

#: Where the package keeps them.
FILE = Path(__file__).with_name("schedules.json")

#: Every schedule starts at this node; a symmetric network's serves all.
ROOT = 0


@dataclass(frozen=True)
class Entry:
    """One best known schedule."""

    #: Steps of the one-port broadcast from node 0.
    steps: int
    #: The certificate that fewer steps are impossible; empty where there is none.
    proof: str
    #: Of the network's arrays.
    fingerprint: str
    #: The in-link of each node, counted among its own by sender, compressed.
    links: str


def fingerprint(network: Network) -> str:
    """Changes when any link or port of the network does."""
    digest = hashlib.sha256(repr(network.neighbour.shape).encode())
    for array in (network.neighbour, network.arrival):
        digest.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    return digest.hexdigest()[:32]


def _parents(links: Links, entry: Entry) -> IntArray:
    nodes = links.first.size - 1
    choice = np.frombuffer(zlib.decompress(base64.b85decode(entry.links)), dtype=np.uint8)
    if choice.size != nodes or (choice[1:] >= np.diff(links.first)[1:]).any():
        raise CheckError("it names links that the network lacks")
    parent = np.full(nodes, NO_PARENT, dtype=np.int32)
    parent[1:] = links.sender[links.first[1:nodes] + choice[1:]]
    if depths(parent, ROOT) is None or earliest(parent, ROOT, "one").max() != entry.steps:
        raise CheckError(f"it is no broadcast of {entry.steps} steps")
    return parent


def entry_of(network: Network, parent: IntArray) -> Entry:
    """Compress the schedule of a tree from node 0: which of the links to a node is taken."""
    links = links_of(network)
    choice = np.zeros(network.nodes, dtype=np.uint8)
    for node in np.flatnonzero(parent != NO_PARENT).tolist():
        senders = links.sender[links.first[node] : links.first[node + 1]]
        choice[node] = np.flatnonzero(senders == parent[node])[0]
    packed = base64.b85encode(zlib.compress(choice.tobytes(), 9)).decode()
    return Entry(int(earliest(parent, ROOT, "one").max()), "", fingerprint(network), packed)


def save(entries: Mapping[str, Entry], path: Path = FILE) -> None:
    """Write entries; equal ones are equal files."""
    document = {spec: asdict(entries[spec]) for spec in sorted(entries)}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")


def load(path: Path = FILE) -> dict[str, Entry]:
    """Every entry by the network's spec."""
    document = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    return {spec: Entry(**fields) for spec, fields in document.items()}


def best_known(network: Network, root: int, path: Path = FILE) -> tuple[IntArray, Entry] | None:
    """The parents of the best known schedule and its entry, if there is one that still holds."""
    if root != ROOT:
        return None
    try:
        entry = load(path).get(network.spec)
        if entry is None or entry.fingerprint != fingerprint(network):
            return None
        return _parents(links_of(network), entry), entry
    except (CheckError, ValueError, TypeError, AttributeError, zlib.error) as fault:
        warnings.warn(
            f"the best known schedule of {network.spec} is damaged and left aside: {fault}",
            RuntimeWarning,
            stacklevel=2,
        )
        return None

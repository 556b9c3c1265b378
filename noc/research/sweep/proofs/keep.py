"""Certificates as files: proofs, and schedules that are better than those known."""

import hashlib
import lzma
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from noc.errors import CheckError
from noc.networks import ABSENT, Network

__all__ = [
    "LARGEST",
    "Kept",
    "keep_proof",
    "keep_schedule",
    "name_of",
    "play",
    "read_proof",
    "read_sends",
]


def play(network: Network, root: int, sends: Iterable[tuple[int, int, int]]) -> int:
    """The steps of a broadcast, by step, sender and receiver of each send.

    Refused is a send before the word is there, over no link, to a node that has the word, or as
    a node's second one in a step; and a broadcast that misses a node.
    """
    had_since, sent = {root: 0}, set()
    for step, sender, receiver in sorted(sends):
        if receiver == ABSENT or receiver not in network.neighbour[sender]:
            raise CheckError(f"{network.spec}: no link leads from node {sender} to {receiver}")
        if had_since.get(sender, step) >= step:
            raise CheckError(f"{network.spec}: node {sender} sends in step {step} what it lacks")
        if receiver in had_since:
            raise CheckError(f"{network.spec}: node {receiver} receives twice")
        if (sender, step) in sent:
            raise CheckError(f"{network.spec}: node {sender} sends twice in step {step}")
        had_since[receiver] = step
        sent.add((sender, step))
    if len(had_since) < network.nodes:
        raise CheckError(f"{network.spec}: {network.nodes - len(had_since)} nodes get no word")
    return max(had_since.values())


#: Larger files are not kept, since repositories keep them for ever: bytes.
LARGEST = 250_000


@dataclass(frozen=True)
class Kept:
    """A file as it is kept, or as it would be.

    Parameters
    ----------
    name : str
        Its name; empty if it is too large.
    size : int
        Its bytes.
    sha256 : str
        Their digest.
    """

    name: str
    size: int
    sha256: str


def name_of(network: Network, root: int, steps: int) -> str:
    """What the files about broadcasts from a root in so many steps are called."""
    start = f"-from-{network.label(root)}" if root else ""
    return f"{re.sub(r'[^A-Za-z0-9.]+', '-', network.spec)}{start}-{steps}"


def keep_proof(proof: Path, folder: Path, name: str) -> Kept:
    """Pack a proof, and keep it unless it is too large."""
    packed = lzma.compress(proof.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    file = f"{name}.drat.xz" if len(packed) <= LARGEST else ""
    if file:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(packed)
    return Kept(file, len(packed), hashlib.sha256(packed).hexdigest())


def read_proof(path: Path) -> bytes:
    """The text of a proof that was kept."""
    return lzma.decompress(path.read_bytes())


def keep_schedule(sends: Iterable[tuple[int, int, int]], folder: Path, name: str) -> str:
    """Write a schedule, a line with step, sender and receiver for each send; the file's name."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{step} {sender} {receiver}\n" for step, sender, receiver in sorted(sends))
    (folder / f"{name}.sends").write_text(text, encoding="ascii")
    return f"{name}.sends"


def read_sends(path: Path) -> list[tuple[int, int, int]]:
    """The sends of a schedule that was kept."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return [(int(step), int(sender), int(receiver)) for step, sender, receiver in lines]

"""Runs in the simulator: the programs of all nodes, on the network that a manifest describes."""

import json
import os
import pickle
import traceback
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from noc.comm.request import REQUEST, Request, load_program
from noc.comm.session import Session
from noc.comm.setup import describe_manifest
from noc.comm.words import Fields
from noc.comm.world import Run
from noc.errors import CheckError, InputError

__all__ = ["run_programs"]


class _Network:
    """The streams of all nodes; sinks are always ready."""

    def __init__(self, dut: Any, manifest: dict[str, Any]) -> None:
        self._clock, self._reset = dut[manifest["clock"]], dut[manifest["reset"]]
        nodes = manifest["nodes"]
        self._inject = [_Stream(dut, n["inject"]) if "inject" in n else None for n in nodes]
        self._eject = [_Stream(dut, node["eject"]) for node in nodes]
        self._offered: list[Fields | None] = [None] * len(nodes)

    async def reset(self) -> None:
        """Start the clock; cycle 0 is the first after reset."""
        Clock(self._clock, 10, unit="ns").start()
        self._reset.value = 1
        for stream in self._inject:
            if stream is not None:
                stream.valid.value = 0
                stream.payload.value = 0
        for stream in self._eject:
            stream.ready.value = 1
        for _ in range(3):
            await FallingEdge(self._clock)
        self._reset.value = 0

    async def move(self, offers: list[Fields | None]) -> tuple[list[int], list[tuple[int, Fields]]]:
        """One cycle: the nodes whose words are taken, and the words that come."""
        for rank, word in enumerate(offers):
            stream = self._inject[rank]
            if stream is not None and word is not self._offered[rank]:
                stream.offer(word)
        self._offered = offers
        await ReadOnly()
        inject = enumerate(zip(self._inject, offers, strict=True))
        taken = [n for n, (stream, word) in inject if stream and word and int(stream.ready.value)]
        came = [(n, s.read()) for n, s in enumerate(self._eject) if int(s.valid.value)]
        await FallingEdge(self._clock)
        return taken, came


class _Stream:
    def __init__(self, dut: Any, description: dict[str, Any]) -> None:
        names = ("valid", "ready", "payload")
        self.valid, self.ready, self.payload = (dut[description[name]] for name in names)
        self._fields = [(f["name"], f["first"], f["bits"]) for f in description["fields"]]

    def offer(self, word: Fields | None) -> None:
        """Offer a word, or none."""
        self.valid.value = int(word is not None)
        if word is not None:
            self.payload.value = sum(word[name] << first for name, first, _ in self._fields)

    def read(self) -> Fields:
        """The word that is offered."""
        payload = int(self.payload.value)
        return {name: payload >> first & (1 << bits) - 1 for name, first, bits in self._fields}


@cocotb.test()
async def run_programs(dut: Any) -> None:
    """Run the program that was asked for, and write what it gave."""
    request: Request = pickle.loads(Path(os.environ[REQUEST]).read_bytes())
    answer: Run | Exception
    try:
        answer = await _run(dut, request)
    except Exception as error:
        # Lines of the program are lost on the way to the other process.
        if not isinstance(error, InputError | CheckError):
            error.add_note(traceback.format_exc())
        answer = error
    request.answer.write_bytes(_pickled(answer))


async def _run(dut: Any, request: Request) -> Run:
    manifest = json.loads(request.manifest.read_text(encoding="utf-8"))
    network = _Network(dut, manifest)
    program = load_program(request)
    await network.reset()
    setup = describe_manifest(manifest)
    with Session(setup, program, request.arguments, request.limit) as session:
        while (offers := session.begin()) is not None:
            session.end(*await network.move(offers))
        return session.result()


def _pickled(answer: Run | Exception) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:
        return pickle.dumps(InputError(f"what a program returns or raises: {error}"))

"""Runs in the simulator: the programs of all nodes, on the network that a manifest describes."""

import json
import os
import pickle
import traceback
from pathlib import Path
from typing import Any

import cocotb

from noc.comm.rounds import Offer, begin_session
from noc.comm.session import REQUEST, Fields, Request
from noc.comm.setup import describe_manifest
from noc.comm.world import Run
from noc.emit.bench.streams import Streams
from noc.errors import CheckError, InputError
from noc.plugins import loaded


class _Rounds(Streams):
    """The streams of all nodes, which send by the clock."""

    async def move(
        self, offers: list[Offer]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, Fields]], bool]:
        """One cycle: whose words are taken, the words that come, and whether all moved on."""
        for rank, stream, data in offers:
            waiting = self.nodes[rank].givers[stream].waiting
            if not waiting:
                waiting.append({"data": data})
        await self.step()
        taken, came = list[tuple[int, int]](), list[tuple[int, Fields]]()
        for rank, node in enumerate(self.nodes):
            for stream, giver in enumerate(node.givers):
                taken += [(rank, stream)] * len(giver.accepted)
                giver.accepted.clear()
            came += [(rank, word) for _, word in node.received]
            node.received.clear()
        return taken, came, self.moved[-1] > self.moved[-2]


class _Words(Streams):
    """The streams of all nodes, one each way; sinks are always ready."""

    async def move(self, offers: list[Fields | None]) -> tuple[list[int], list[tuple[int, Fields]]]:
        """One cycle: the nodes whose words are taken, and the words that come."""
        for node, word in zip(self.nodes, offers, strict=True):
            if word is not None and not node.waiting:
                node.waiting.append(word)
        await self.step()
        taken = [rank for rank, node in enumerate(self.nodes) if node.accepted]
        came = [(rank, word) for rank, node in enumerate(self.nodes) for _, word in node.received]
        for node in self.nodes:
            node.accepted.clear()
            node.received.clear()
        return taken, came


@cocotb.test()
async def run_programs(dut: Any) -> None:
    """Run the program that was asked for, and write what it returned."""
    request: Request = pickle.loads(Path(os.environ[REQUEST]).read_bytes())
    answer: Run | Exception
    try:
        # Operators of plug-ins that the process has which started this one.
        with loaded(()):
            answer = await _run(dut, request)
    except Exception as error:
        # Lines of the program are lost on the way to the other process.
        if not isinstance(error, InputError | CheckError):
            error.add_note(traceback.format_exc())
        answer = error
    request.answer.write_bytes(_pickled(answer))


async def _run(dut: Any, request: Request) -> Run:
    manifest = json.loads(request.manifest.read_text(encoding="utf-8"))
    setup = describe_manifest(manifest)
    network = (_Rounds if setup.rounds else _Words)(dut, manifest)
    program = request.load_program()
    await network.reset()
    with begin_session(setup, program, request.arguments, request.limit) as session:
        while (offers := session.begin()) is not None:
            session.end(*await network.move(offers))
        return session.result()


def _pickled(answer: Run | Exception) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:
        return pickle.dumps(InputError(f"what a program returns or raises: {error}"))

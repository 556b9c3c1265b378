"""A cocotb bench for the chips in the folder above, side by side, each with a clock of its own.

Bits between them come late, and some are wrong: parameters of the module say how many. Run it with
run.py. It knows the network only from manifest.json.
"""

import cocotb
from endpoints import (
    all_messages_arrive,
    begin,
    each_operation_works,
    everything_fills_while_sinks_stop,
    give_all,
)
from folder import MANIFEST

__all__ = ["all_messages_arrive", "each_operation_works", "everything_fills_while_sinks_stop"]

#: Each end of a link, by its chip and what it calls the other.
LINKS = [(chip["name"], link) for chip in MANIFEST["chips"]["chips"] for link in chip["links"]]


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def links_are_there_after_reset(dut) -> None:
    """No link is missing when words have come, and none goes missing after that."""
    bench = await begin(dut)
    downs = [dut[f"{chip}__{link['down']}"] for chip, link in LINKS]
    for _ in range(2):
        await give_all(bench, 1, words=1)
        assert not any(int(down.value) for down in downs), "a link is missing"

"""One word from each source: it reaches every node once, after exactly as long as it should."""

import cocotb
from driver import SAMPLE, send_alone
from folder import EXCHANGE, KEPT_ROUNDS, NODES
from latency import expect_latency

#: A word that needs those of others is not alone.
FITS = EXCHANGE is None and not KEPT_ROUNDS

#: The highest word that is sent.
HIGHEST = len(NODES)


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def each_source_alone(dut) -> None:
    """Source after source, each when the word of the one before has arrived everywhere."""
    for source, cycles in (await send_alone(dut, SAMPLE)).items():
        assert cycles == expect_latency(source)

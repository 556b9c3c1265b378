"""The system in Amaranth's simulator: every node has the result that it must have."""

from amaranth.sim import Simulator
from expected import expected_totals, limit
from hardware.network import read_design
from hardware.system import System


def run(system: System, runs: int, cycles: int) -> list[list[int]]:
    """The totals of all nodes after each of some runs."""
    results = []

    async def bench(ctx):
        assert ctx.get(system.done), "some element is not at rest"
        for _ in range(runs):
            ctx.set(system.start, 1)
            await ctx.tick()
            ctx.set(system.start, 0)
            for _ in range(cycles):
                if ctx.get(system.done):
                    break
                await ctx.tick()
            assert ctx.get(system.done), "some element is not done"
            results.append([ctx.get(getattr(system, f"total_{name}")) for name in system.names])

    simulator = Simulator(system)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return results


def test_every_node_has_its_total_in_every_run() -> None:
    design = read_design()
    assert run(System(design), 2, limit(design)) == [expected_totals(design)] * 2

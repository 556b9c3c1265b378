"""The runs of a verification by the names of traffic, for every kind of design."""

from noc.design import AnyDesign, OrderedDesign
from noc.verify.collective_runs import list_runs, mix_runs
from noc.verify.runs import MIXTURE, Run, mixture, run

__all__ = ["name_runs"]


def name_runs(
    design: AnyDesign,
    traffic: str = MIXTURE,
    *,
    words: int | None = None,
    cycles: int | None = None,
    seed: int = 0,
) -> list[Run]:
    """The runs that some traffic stands for.

    Parameters
    ----------
    design : Design or OrderedDesign
        The network.
    traffic : str
        Names with commas between them, such as ``full:half,endless``; or ``mixture``, which is all
        of what is meaningful for the design.
    words, cycles, seed
        As :func:`noc.verify.run` takes them; with operations, ``words`` are messages.
    """
    if isinstance(design, OrderedDesign) and not design.operations.only_broadcast:
        if traffic == MIXTURE:
            return mix_runs(design, words=words, cycles=cycles, seed=seed)
        return list_runs(design, traffic.split(","), words=words, cycles=cycles, seed=seed)
    if traffic == MIXTURE:
        return mixture(design, words=words, cycles=cycles, seed=seed)
    return [
        run(design, name, words=words, cycles=cycles, seed=seed + place)
        for place, name in enumerate(traffic.split(","))
    ]

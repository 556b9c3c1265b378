"""What a fabric is: a package of modules, each of which answers one room of this package.

The rooms know no fabric: they ask that of a design by :func:`module`. A fabric that is added is a
package with the modules listed here, which may import everything, and a line in ``FABRICS``. Its
name is a choice of ``--fabric`` in :mod:`noc.options`, and its usual algorithm is in ``USUAL`` of
:mod:`noc.design`.

``build``
    ``build(network, algorithm, *, sources, width, progress, **options)`` makes the design, whose
    class is a :class:`noc.design.AnyDesign`.
``assembly``
    ``assemble(design)``: the modules of the hardware, and how they are joined.
``describe``
    The files of a folder: ``CONTRACT``, ``facts``, ``node_facts``, ``links``, ``certificate``,
    ``program`` and ``files``.
``read``
    ``read(manifest, program, network)``: the design of a folder, checked.
``run``
    The cycle model: ``stream``, ``records`` and ``count_cycles``.
``measure``
    What sweeps measure: ``trees``; ``full`` and ``random``, which give a
    :class:`noc.fabrics.measured.Load`; and with operations ``operations``.
``page``
    What ``noc explore`` shows: ``record``, ``describe_program`` and ``facts``.
``report``
    What the commands print: ``facts``, ``summary``, ``program_facts``, ``count_rows``, ``tables``,
    ``tables_text``, ``latencies``, ``hints``, and ``MAPPING``.
"""

from importlib import import_module
from typing import Any

#: The package of each, by its name.
FABRICS = {
    "ordered": "noc.fabrics.ordered",
    "direct": "noc.fabrics.direct",
    "timetable": "noc.fabrics.timetable",
}


def module(fabric: str, name: str) -> Any:
    """A module of a fabric, which is loaded when it is first asked for."""
    return import_module(f"{FABRICS[fabric]}.{name}")

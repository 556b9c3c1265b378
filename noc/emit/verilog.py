"""Verilog, hierarchical: each different router once, and a top that only wires."""

import os
import re
from dataclasses import dataclass
from unittest import mock

from amaranth.back import verilog

from noc.hardware import Network, Router
from noc.programs.table import Fabric

__all__ = ["Module", "modules", "top_name"]


@dataclass(frozen=True)
class Module:
    """One Verilog module: its name and its text."""

    name: str
    text: str


def top_name(spec: str) -> str:
    """The name of the top module of a network, from its spelling."""
    return "noc_" + re.sub(r"\W+", "_", spec, flags=re.ASCII).strip("_")


def modules(fabric: Fabric, *, width: int) -> list[Module]:
    """The top module first, then each different router."""
    top = top_name(fabric.program.network.spec)
    several = len(fabric.tables) > 1

    def router_name(number: int) -> str:
        return f"{top}_router_{number}" if several else f"{top}_router"

    network = Network(fabric, width=width, module_name=router_name)
    result = [_module(network, top)]
    for number, table in enumerate(fabric.tables):
        result.append(_module(Router(table, width=width), router_name(number)))
    return result


def _module(component: object, name: str) -> Module:
    # The Yosys that comes with Amaranth: the text must not depend on what is installed.
    with mock.patch.dict(os.environ, {"AMARANTH_USE_YOSYS": "builtin"}):
        text = verilog.convert(component, name=name, emit_src=False)
    # The first line names the tool version.
    return Module(name, text.partition("\n")[2])

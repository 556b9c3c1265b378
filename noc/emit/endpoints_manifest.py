"""What the manifest says of the endpoints."""

from typing import Any

from noc.emit.endpoints import Wrapper
from noc.emit.manifest import list_stream_fields
from noc.emit.streams import FIELDS, place_fields
from noc.endpoints import BESIDE_SIGNALS, BeatFormat

__all__ = ["describe_endpoints"]


def describe_endpoints(wrapper: Wrapper) -> dict[str, Any]:
    """The section of the manifest, under the name that tells which endpoints there are."""
    design, endpoints = wrapper.design, wrapper.endpoints
    common = {"top": wrapper.name, "clock": "clk", "reset": "rst"}
    if endpoints.axi is None:
        return {"node_clocks": {**common, "nodes": _crossings(wrapper)}}
    format_ = endpoints.format(design)
    return {
        "axis": {
            **common,
            **{port.name: port.name for port in wrapper.shown},
            "width": format_.width,
            "tid_bits": format_.source_bits,
            "tdest_bits": format_.dest_bits,
            "tuser_bits": format_.user_bits,
            "tlast": format_.last,
            "packets": endpoints.axi.packets,
            "turns": endpoints.arbitrated(design),
            "packet_words": endpoints.longest(design),
            "memory_bits": endpoints.memory_bits(design),
            "fields_of_data": FIELDS.write(place_fields(format_.fields)),
            "fields": {
                "s_axis": _list_fields(format_, node=format_.dest_bits),
                "m_axis": _list_fields(format_, source=format_.source_bits),
            },
            "nodes": [
                {"tid": number, **node}
                for number, node in enumerate(_nodes(wrapper, "s_axis", "m_axis"))
            ],
        }
    }


def _list_fields(format_: BeatFormat, **beside: int) -> list[dict[str, Any]]:
    """What an AXI-Stream carries: each field and the signal that it is."""
    fields = {"data": format_.width, "last": int(format_.last), "operation": format_.user_bits}
    signals = {"data": "tdata"} | BESIDE_SIGNALS
    return [
        {"name": name, "signal": signals[name], "first": 0, "bits": bits}
        for name, bits in (fields | beside).items()
        if bits
    ]


def _crossings(wrapper: Wrapper) -> list[dict[str, Any]]:
    """The network's own streams: what lies in their payloads is as at the network."""
    nodes = _nodes(wrapper, "inject", "eject")
    for entry in nodes:
        for side in ("inject", "eject"):
            if entry[side] is not None:
                fields = list_stream_fields(wrapper.design, side)
                entry[side]["fields"] = FIELDS.write(fields)
    return nodes


def _nodes(wrapper: Wrapper, send: str, receive: str) -> list[dict[str, Any]]:
    every = wrapper.streams()
    return [
        {
            "label": wrapper.design.network.label(node),
            "clock": every[node].clock,
            "reset": every[node].reset,
            send: dict(every[node].send) or None,
            receive: dict(every[node].receive),
        }
        for node in wrapper.design.in_order
    ]

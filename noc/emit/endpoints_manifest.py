"""What the manifest says of the endpoints."""

from typing import Any

from noc.emit.endpoints import Wrapper
from noc.emit.manifest import list_stream_fields, place_fields

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
            "tlast": format_.last,
            "packets": endpoints.axi.packets,
            "turns": endpoints.arbitrated(design),
            "packet_words": endpoints.longest(design),
            "memory_bits": endpoints.memory_bits(design),
            "fields_of_data": place_fields(format_.fields),
            "nodes": [
                {"tid": number, **node}
                for number, node in enumerate(_nodes(wrapper, "s_axis", "m_axis"))
            ],
        }
    }


def _crossings(wrapper: Wrapper) -> list[dict[str, Any]]:
    """The network's own streams: what lies in their payloads is as at the network."""
    nodes = _nodes(wrapper, "inject", "eject")
    for number, node in enumerate(nodes):
        for side in ("inject", "eject"):
            if node[side] is not None:
                node[side]["fields"] = list_stream_fields(wrapper.design, number, side)
    return nodes


def _nodes(wrapper: Wrapper, send: str, receive: str) -> list[dict[str, Any]]:
    return [
        {
            "label": wrapper.design.network.label(node),
            "clock": streams.clock,
            "reset": streams.reset,
            send: dict(streams.send) or None,
            receive: dict(streams.receive),
        }
        for node, streams in enumerate(wrapper.streams())
    ]

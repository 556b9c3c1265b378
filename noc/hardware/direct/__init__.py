"""The routers of the direct fabric."""

from noc.hardware.direct.router import Router

__all__ = ["Router"]

"""The families of chips: each file here holds all of one, and is found by itself."""

import pkgutil
from importlib import import_module

from noc.synth.family import Family

__all__ = ["FAMILIES"]

#: By the names that users type.
FAMILIES: dict[str, Family] = {
    module.name: import_module(f"{__name__}.{module.name}").FAMILY
    for module in pkgutil.iter_modules(__path__)
}

"""The fabrics, each a package as :mod:`noc.fabric` describes it."""

"""A wrong output of any part of a node is caught, in each fabric and with each kind of traffic.

All faults of a network are in one build. Each is switched on in runs of its own, one for each kind
of traffic; the first runs are of the Verilog as it was emitted.
"""

import re
from collections.abc import Iterator

import pytest

from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.verify import run, verify_files
from noc.verify.runs import names

SPEC = "star:3"

FORM = {"queue": 2, "link_registers": 1}

DESIGNS = {
    "ordered": (build_ordered, {"config": OrderedConfig(**FORM)}),
    "direct": (build_direct, {}),
    "one port": (build_direct, {"ports": "one"}),
    "one source": (build_direct, {"sources": "one", "config": RouterConfig(**FORM)}),
}

MODULE = re.compile(r"^module (\w+) ?\(.*?^endmodule", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^  output (\[\d+:0\] )?(\w+);$", re.MULTILINE)


def outputs(text: str) -> Iterator[tuple[str, str]]:
    """The outputs of each module, with the name of that module."""
    for module in MODULE.finditer(text):
        for output in OUTPUT.finditer(module[0]):
            yield module[1], output[2]


def spoiled(text: str, module: str, output: str, hit: str) -> str:
    """The text where an output of a module has a wrong lowest bit when it is hit."""

    def spoil(found: re.Match[str]) -> str:
        head, _, body = found[0].partition(";\n")
        body = re.sub(rf"(?<![.\w\\]){output}(?![\w$])", f"{output}__right", body)
        driven, count = re.subn(
            rf"^(  output (?:\[\d+:0\] )?){output}__right;$",
            rf"\1{output};\n  assign {output} = {output}__right ^ ({hit});",
            body,
            flags=re.MULTILINE,
        )
        assert count == 1
        return f"{head};\n{driven}"

    return re.sub(
        rf"^module {module} ?\(.*?^endmodule", spoil, text, flags=re.MULTILINE | re.DOTALL
    )


@pytest.fixture(params=DESIGNS)
def caught(request, tmp_path, tmp_path_factory) -> dict[tuple[str, str], dict[str, int]]:
    """For each output of each module, and for none, the mismatches with each kind of traffic."""
    build, options = DESIGNS[request.param]
    built = build(build_network(SPEC), width=8, **options)
    kinds = [kind if kind == "single" else f"{kind}:half" for kind in names(built)]
    runs = [
        run(built, kind, words=None if "endless" in kind else 8, cycles=200, seed=seed)
        for seed, kind in enumerate(kinds)
    ]
    faults, sources = [("none", "none")], []
    for module in modules(built):
        text = module.text
        if module.name != f"noc_{SPEC.replace(':', '_')}":
            for fault in outputs(module.text):
                hit = f"noc_bench.run / {len(kinds)} == {len(faults)}"
                text = spoiled(text, *fault, hit)
                faults.append(fault)
        sources.append(tmp_path / f"{module.name}.v")
        sources[-1].write_text(text)
    parts = tmp_path_factory.getbasetemp() / "parts"
    report = verify_files(
        *(built, build_manifest(built, []), sources, runs * len(faults), tmp_path), parts=parts
    )
    assert report.trouble is None
    result = iter(each.comparison.mismatches for each in report.runs)
    return {fault: {kind: next(result) for kind in kinds} for fault in faults}


@pytest.mark.cases(1)
def test_a_wrong_output_of_any_part_is_caught(caught) -> None:
    as_emitted = caught.pop(("none", "none"))
    assert not any(as_emitted.values())
    assert len(caught) > 20
    assert [fault for fault, found in caught.items() if not any(found.values())] == []
    by_module: dict[str, list[dict[str, int]]] = {}
    for (module, _), found in caught.items():
        by_module.setdefault(module, []).append(found)
    missed = [
        (module, kind)
        for module, each in by_module.items()
        for kind in as_emitted
        if not any(found[kind] for found in each)
    ]
    assert missed == []

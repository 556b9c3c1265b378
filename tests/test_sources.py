"""Only some nodes send: what is left of the hardware; hints where another choice is better."""

import json
from pathlib import Path

import pytest
from folders import generated

from noc.cli.arguments import report_of
from noc.design import AnyDesign, build_design, build_direct
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.networks import build_network, from_edges
from noc.selftest import simulate as self_test
from noc.verify.folder import read_folder


def injecting(built) -> list[str]:
    return [entry["label"] for entry in build_manifest(built, [])["nodes"] if "inject" in entry]


@pytest.mark.parametrize(
    ("spec", "labels"),
    [("star:4", ["1234", "4231"]), ("mesh:3,3", ["0.0", "1.2"]), ("hypercube:3", ["101"])],
)
def test_only_chosen_sources_have_inject_streams(spec: str, labels: list[str]) -> None:
    built = build_design(spec, sources=labels)
    assert injecting(built) == labels == build_manifest(built, [])["sources"] == built.named_sources


def test_all_and_one_are_told_by_their_names() -> None:
    for sources in ("all", "one"):
        assert build_design("star:3", sources=sources).named_sources == sources
    everyone = build_design("star:3", sources=range(6))
    assert everyone.named_sources == "all"
    assert everyone.digest == build_design("star:3").digest


def test_the_direct_fabric_is_for_one_sender() -> None:
    assert build_design("star:3", fabric="direct").named_sources == "one"
    for sources in ("all", [0, 2]):
        with pytest.raises(InputError, match=r"^fabric='direct': is for one sender at a time"):
            build_design("star:3", fabric="direct", sources=sources)


@pytest.mark.parametrize(
    ("operation", "sources", "senders"),
    [("all_reduce:sum", "all", 3), ("all_reduce:sum@some", ["0", "2"], 2)],
)
def test_nodes_that_only_join_words_are_sources(operation, sources, senders, tmp_path, cli) -> None:
    options = ["ring:3", "--width", "4", "--operations", operation, "--group", "some=0,2"]
    options = options if "@" in operation else options[:-2]
    built = build_design("ring:3", width=4, operations=[operation], groups={"some": [0, 2]})
    manifest = cli.facts("generate", *options, "-o", str(tmp_path / "out"))
    assert manifest["sources"] == sources == built.named_sources
    assert len([node for node in manifest["nodes"] if "inject" in node]) == senders
    folder = read_folder(tmp_path / "out")
    assert folder.design.named_sources == sources
    assert cli.facts("latency", *options)["senders"] == senders


@pytest.mark.parametrize("spec", ["mesh:3,3", "star:4", "scc:3"])
def test_fewer_sources_need_less(spec: str) -> None:
    net = build_network(spec)
    whole, some = build_direct(net), build_direct(net, sources=[net.nodes - 1])

    def size(built) -> list[int]:
        tables = [built.program.table_of(node) for node in range(net.nodes)]
        sizes = ([len(t.entries), len(t.in_ports), len(t.out_bits), t.trees] for t in tables)
        return [*map(sum, zip(*sizes, strict=True))]

    assert all(less < more for less, more in zip(size(some), size(whole), strict=True))


def test_fewer_sources_need_fewer_modules() -> None:
    net = build_network("mesh:3,3")
    kinds = [len(build_direct(net, sources=chosen).program.tables) for chosen in ("one", [0])]
    assert kinds[0] > kinds[1]


def test_a_single_source_is_one_at_a_time() -> None:
    built = build_direct(build_network("star:4"), sources=[5])
    shown = build_manifest(built, [])
    assert (built.sources, shown["sources"], shown["idle"]) == ("one", ["1432"], "idle")
    assert len(shown["links"]) == 23


@pytest.mark.slow
def test_a_folder_with_chosen_sources_is_verified(tmp_path, cli) -> None:
    options = ("--fabric", "direct", "--width", "8", "--sources", "213")
    folder = generated(tmp_path / "out", "star:3", *options)
    traffic = ["--traffic", "single,back-to-back:half", "--words", "20"]
    assert "equals the model" in cli.out("verify", "--verilog", str(folder), *traffic)


@pytest.mark.slow
def test_only_chosen_sources_send_in_the_self_test(tmp_path) -> None:
    text, results = self_test(build_direct("star:3", sources=[2], width=16), tmp_path)
    assert " sources 1 of 6 width" in text
    assert len(results) == 2
    assert all(result.passed and result.right == 5 * result.sent for result in results)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sources": "one"},
        {"fabric": "direct", "sources": "one"},
        {"fabric": "direct", "sources": ["123"]},
        {"operations": ["broadcast", "barrier"]},
    ],
)
def test_good_choices_get_no_hint(options) -> None:
    assert _hints(build_design("star:3", **options)) == []


def _hints(design: AnyDesign) -> list[str]:
    return list(report_of(design).hints(design))


def ring(ports) -> list[dict[str, object]]:
    return [
        {"from": f"n{i}", "to": f"n{(i + 1) % 6}", "two-way": False, **ports(i)} for i in range(6)
    ]


def spec(folder: Path, links) -> str:
    path = folder / "ring.json"
    path.write_text(
        json.dumps({"nodes": [f"n{i}" for i in range(6)], "links": links}), encoding="utf-8"
    )
    return f"file:{path}"


def test_port_labels_that_cost_a_module_for_each_node(tmp_path: Path, cli) -> None:
    unlucky = spec(tmp_path, ring(lambda i: {"out": "ab"[i % 3 == 0], "in": "cd"[i % 3 == 0]}))
    assert not build_network(unlucky).symmetric
    out = ("--sources", "one", "-o", tmp_path / "out")
    status, _, told = cli("generate", unlucky, *out)
    assert (status, "hint: with other port labels" in told) == (0, True)
    # Without any labels, as the hint says, all nodes look alike.
    plain = spec(tmp_path, ring(lambda _: {}))
    status, shown, told = cli("generate", plain, *out)
    assert (status, told) == (0, "")
    assert "router modules  1\n" in shown


def test_no_labels_help_a_path() -> None:
    path = from_edges([("a", "b"), ("b", "c")])
    assert _hints(build_design(path, sources="one")) == []


def test_a_group_that_nothing_names_gets_a_hint() -> None:
    wanted = {"operations": "broadcast,barrier@a", "groups": {"a": [0, 1], "b": [2]}}
    assert _hints(build_design("star:3", **wanted)) == [
        "no operation names group b, as barrier@b would"
    ]
    wanted["operations"] += ",multicast@b"
    assert _hints(build_design("star:3", **wanted)) == []


@pytest.mark.parametrize("name", ["group_queue", "watchdog"])
def test_an_option_of_joins_without_any_gets_a_hint(name: str) -> None:
    (hint,) = _hints(build_design("star:3", operations="broadcast,send", **{name: 3}))
    assert hint == f"no operation joins words, so that {name.replace('_', ' ')} changes nothing"
    assert _hints(build_design("star:3", operations="barrier", **{name: 3})) == []


@pytest.mark.parametrize("text", ["123,123", "132,123,132"])
def test_a_source_that_is_named_twice_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"{text.split(',')[-1]} is named twice"):
        build_design("star:3", sources=text)

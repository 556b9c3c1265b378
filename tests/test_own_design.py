"""Emitted networks inside a design of the user's: what other tools make of the two together."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from amaranth.lib import wiring
from folders import bench, core_of, manifest_of
from helpers import started

from noc.cli import main
from noc.emit.module import Module, Port, convert
from noc.emit.names import KEYWORDS, KEYWORDS_OF_VHDL
from noc.synth.tools import yosys
from noc.verify.tools import environment

PAGE = (Path(__file__).parent.parent / "docs" / "integration.md").read_text(encoding="utf-8")


def generate(folder: Path, *options: str) -> str:
    """Write a network of six nodes; the name of its outermost module."""
    return core_of(folder, "star:3", "--width", "8", *options)


def held(folder: Path, top: str, prefix: str = "") -> tuple[list[str], str]:
    """Ports of a module that hands them through to a top, and the instance of that."""
    header = (folder / f"{top}.v").read_text().partition(");")[0]
    result = re.findall(r"^  ((?:in|out)put (?:\[\d+:0\] )?)(\w+),?$", header, re.MULTILINE)
    joined = ", ".join(f".{port}({prefix}{port})" for _, port in result)
    return [f"{kind}{prefix}{port}" for kind, port in result], f"{top} {prefix}network ({joined});"


def around(*parts: tuple[list[str], str], name: str = "user", body: str = "") -> str:
    """A module of the user's around one network or more."""
    ports = ", ".join(port for listed, _ in parts for port in listed)
    instances = "\n".join(instance for _, instance in parts)
    return f"module {name} ({ports});\n{body}\n{instances}\nendmodule\n"


def verilator(folder: Path, *words: str) -> tuple[int, list[str]]:
    """How a check of some files ends, and the warnings and errors: what of, and in which file."""
    env = environment("verilator")
    done = started("verilator", "--lint-only", *words, cwd=folder, env=env)
    shown = re.findall(r"^%(?:Warning|Error)-(\w+): ([^:]+):", done.stderr, re.MULTILINE)
    return done.returncode, [f"{rule} {Path(file).name}" for rule, file in shown]


KINDS = {
    "plain": [],
    "direct": ["--fabric", "direct"],
    "direct, axi, clocks": ["--fabric", "direct", "--axi-stream", "--node-clocks", "each"],
    "axi, whole packets, clocks": ["--axi-stream", "--packets", "whole", "--node-clocks", "each"],
    "clocks, modules apart": ["--node-clocks", "shared", "--one-file-per-module"],
}


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("kind", KINDS)
def test_verilator_has_nothing_to_say_as_the_page_calls_it(tmp_path: Path, kind: str) -> None:
    top = generate(tmp_path / "out", *KINDS[kind])
    readme = (tmp_path / "out" / "README.md").read_text()
    (command,) = recipes("verilator", Path("out"), top, readme)
    assert verilator(tmp_path, *command[1:]) == (0, [])
    # From inside as with any list.
    assert verilator(tmp_path / "out", f"{top}.vlt", "-f", f"{top}.f") == (0, [])


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("kind", KINDS)
def test_icarus_compiles_from_anywhere_as_the_page_calls_it(tmp_path: Path, kind: str) -> None:
    """With a module of the user's that lies elsewhere, and is the only top."""
    folder, own = tmp_path / "out", tmp_path / "own" / "user.v"
    top = generate(folder, *KINDS[kind])
    own.parent.mkdir()
    own.write_text(around(held(folder, top)))
    readme = (folder / "README.md").read_text()
    (command,) = recipes("iverilog", Path("..") / folder.name, top, readme)
    done = started(*command, "-o", "user.vvp", own.name, cwd=own.parent, status=0)
    assert done.stderr == ""
    compiled = (own.parent / "user.vvp").read_text()
    assert re.findall(r'^S_\w+ \.scope module, "(\w+)" .*;$', compiled, re.MULTILINE)[0] == "user"
    assert f'"{top}"' in compiled


def recipes(tool: str, folder: Path, top: str, readme: str) -> list[list[str]]:
    """The commands that two pages give for a tool, with the folder as it is seen from somewhere."""
    shown = []
    for page in (PAGE.replace("TOP", top), readme):
        lines = re.findall(rf"^    ({tool} .*DIR.*) …$", page, re.MULTILINE)
        shown += [line.replace("DIR", str(folder)).split() for line in lines]
    assert len(shown) == 2
    return [list(each) for each in {tuple(line) for line in shown}]


@pytest.mark.cases(0, ci=4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beside", [True, False])
def test_verilator_warns_of_what_is_the_users(tmp_path: Path, kind: str, beside: bool) -> None:
    """From beside the files and from elsewhere; names of the network in the user's own."""
    folder = tmp_path / "out"
    top = generate(folder, *KINDS[kind])
    own = tmp_path / top / f"tb_{top}.v"
    own.parent.mkdir()
    spare = "wire [3:0] spare = {3'd0, rst};"
    own.write_text(around(held(folder, top), name=own.stem, body=spare))
    place = folder if beside else tmp_path
    path = "" if beside else "out/"
    words = [f"{path}{top}.vlt", "-Wall", "-F", f"{path}{top}.f", str(own.resolve())]
    # Around clocks it may name the user's reset too, as the page says.
    status, shown = verilator(place, *words)
    assert status == 1
    assert set(shown) - {f"SYNCASYNCNET {own.name}"} == {f"UNUSEDSIGNAL {own.name}"}
    assert len(shown) == 1 or "clocks" in kind


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize("options", [[], ["--axi-stream"], ["--one-file-per-module"]])
@pytest.mark.parametrize("own", [False, True])
def test_yosys_finds_the_top_by_itself(tmp_path: Path, options: list[str], own: bool) -> None:
    """Read first and last, since of several marked ones it would take one of those."""
    folder = tmp_path / "out"
    expected = top = generate(folder, *options)
    files = [str(path) for path in sorted(folder.glob("*.v"))]
    if own:
        expected = "user"
        (tmp_path / "user.v").write_text(around(held(folder, top)))
        files = [str(tmp_path / "user.v"), *files]
    for number, order in enumerate((files, files[::-1])):
        script = tmp_path / f"{number}.ys"
        script.write_text(f"read_verilog {' '.join(order)}\nhierarchy -check -auto-top\n")
        text = yosys().run([script.name], tmp_path, "log.txt", seconds=120)
        assert re.findall(r"^Top module: +\\(\w+)$", text, re.MULTILINE)[-1] == expected


def two_named(folder: Path) -> list[str]:
    """One network in two widths, each with a name of its own."""
    return [
        generate(folder / name, "--width", width, "--name", name)
        for name, width in (("left", "8"), ("right", "16"))
    ]


@pytest.mark.ci
def test_two_of_one_network_stand_in_one_design(tmp_path: Path) -> None:
    names = two_named(tmp_path)
    assert names == ["left", "right"]
    parts = [held(tmp_path / name, name, prefix=f"{name}_") for name in names]
    (tmp_path / "user.v").write_text(around(*parts))
    lists = [word for name in names for word in (f"{name}/{name}.vlt", "-F", f"{name}/{name}.f")]
    assert verilator(tmp_path, "-Wall", *lists, "user.v") == (0, [])


@pytest.mark.ci
def test_fusesoc_knows_two_of_one_network(tmp_path: Path) -> None:
    two_named(tmp_path)
    command = [Path(sys.executable).with_name("fusesoc"), "--cores-root", tmp_path, "core", "list"]
    env = os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = started(*command, cwd=tmp_path, env=env, check=True)
    assert re.findall(r"^arbornoc:noc:(\w+):", done.stdout, re.MULTILINE) == ["left", "right"]


@pytest.mark.cases(1)
@pytest.mark.parametrize("kind", KINDS)
def test_every_name_begins_with_the_one_that_is_given(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "out"
    top = generate(folder, "--name", "mine", *KINDS[kind])
    assert top in ("mine", "mine_axis", "mine_clocks")
    texts = [path.read_text() for path in folder.rglob("*.*") if path.suffix != ".py"]
    assert not [text for text in texts if "noc_star_3" in text]
    modules = re.findall(r"^module (\S+?)[ (]", "\n".join(texts), re.MULTILINE)
    known = manifest_of(folder)
    # What tells of the folder is not for the tools that read the rest.
    aside = (".json", ".py", ".cpp", ".h", "README.md", "/nodes.txt", "/operations.txt")
    files = [Path(file).name for file in known["files"] if not file.endswith(aside)]
    files.remove("sha256sums.txt")
    part = "mine_router" if "direct" in kind else "mine_node_0"
    assert {"mine", part, top} <= set(modules)
    assert not [name for name in modules + files if not name.startswith("mine")]
    assert known["top"] == "mine"


CLOCKS = pytest.param(["--node-clocks", "shared"], marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.cocotb
@pytest.mark.parametrize("options", [[], CLOCKS])
def test_a_named_folder_is_simulated_and_verified(tmp_path: Path, options: list[str]) -> None:
    folder = tmp_path / "out"
    generate(folder, "--name", "mine", *options)
    bench(folder, "run.py")
    assert main(["verify", "--verilog", str(folder), "--traffic", "full", "--words", "4"]) == 0


@pytest.mark.parametrize("name", ["join", "Entity", "a.b", "1st"])
def test_no_module_and_no_port_of_the_package_has_such_a_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"^port '{name}': "):
        Port(name, output=True, bits=1)
    with pytest.raises(ValueError, match=f"^module '{name}': "):
        Module(name, "")


def test_a_component_with_such_a_port_is_not_converted() -> None:
    with pytest.raises(ValueError, match=r"^port 'join': is a keyword"):
        convert(wiring.Component({"join": wiring.In(1)}), "part")


def test_the_keywords_are_those_of_the_standard() -> None:
    """Their number is that of IEEE 1800-2017, Annex B."""
    assert len(KEYWORDS) == 248
    assert all(word.islower() for word in {*KEYWORDS, *KEYWORDS_OF_VHDL})


def test_a_name_that_yaml_takes_for_another_thing_is_one(tmp_path: Path) -> None:
    top = generate(tmp_path / "out", "--name", "yes")
    core = yaml.safe_load((tmp_path / "out" / f"{top}.core").read_text())
    assert {target.get("toplevel") for target in core["targets"].values()} == {"yes"}

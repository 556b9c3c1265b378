"""Shells complete the commands, their options, and the names that are known beforehand."""

import contextlib
import io
import shutil
from pathlib import Path

import pytest
from helpers import started

from noc.cli import command_modules, main
from noc.cli.completion import SHELLS
from noc.model import TRAFFIC
from noc.model.traffic import OF_VERIFY
from noc.networks import FAMILIES
from noc.synth import FAMILIES as CHIPS
from noc.trees import ALGORITHMS

#: Bash keeps what it would break as words of their own, as it does at a prompt.
ASK_BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(( $# - 1 ))
function_of=$(complete -p noc)
function_of=${function_of##*-F }
"${function_of%% *}" noc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>&1
printf '%s\\n' "${COMPREPLY[@]}"
"""

#: A plug-in, with a name in each of two places.
PLUGIN = """
from dataclasses import replace
from noc.networks import FAMILIES as KNOWN
from noc.trees import ALGORITHMS as BUILT_IN
FAMILIES = (replace(KNOWN["ring"], name="my-ring", example="my-ring:5"),)
ALGORITHMS = (replace(BUILT_IN["shortest"], name="my-own"),)
"""

EXAMPLES = [family.example for family in FAMILIES.values()]

#: What stands at the prompt, and what the last word may become.
OFFERED = [
    (("noc", ""), tuple(command_modules())),
    (("noc", "ver"), ("verify",)),
    (("noc", "steps", "s"), ("scatter", "slices", "survival")),
    (("noc", "steps", "scatter", "me"), ("mesh:4,4",)),
    (("noc", "tree", ""), EXAMPLES),
    (("noc", "tree", "star:4", "--algo"), ("--algorithm",)),
    (("noc", "tree", "star:4", "--algorithm", ""), tuple(ALGORITHMS)),
    (("noc", "tree", "star:4", "--ports", ""), ("all", "one")),
    (("noc", "generate", "star:4", "--sources", ""), ("all", "one")),
    (("noc", "verify", "star:4", "--traffic", ""), (*OF_VERIFY, *TRAFFIC)),
    (("noc", "verify", "star:4", "--netlist", ""), tuple(CHIPS)),
    (("noc", "synth", "star:4", "--target", ""), tuple(CHIPS)),
    (("noc", "build", "star:4", "--board", "icebr"), ("icebreaker",)),
    (("noc", "route", "star:4", "1234", "4321", "--router", "sh"), ("shortest",)),
    (("noc", "paper", "scc-7"), ("scc-7",)),
    (("noc", "completion", ""), SHELLS),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        with contextlib.redirect_stdout(io.StringIO()) as script:
            assert main(["completion", shell]) == 0
        (folder / shell).write_text(script.getvalue(), encoding="utf-8")
    return {shell: folder / shell for shell in SHELLS}


def run(*command: str) -> list[str]:
    done = started(*command, check=True)
    assert done.stderr == ""
    return [line.partition("\t")[0] for line in done.stdout.splitlines() if line]


def in_bash(script: Path, words: tuple[str, ...]) -> list[str]:
    broken = [
        part
        for word in words
        for part in (
            [""] if not word else word.replace(":", "\0:\0").replace("=", "\0=\0").split("\0")
        )
    ]
    # At the end of a line, bash gives what has not been begun as an empty word only after a space.
    if len(broken) > 1 and broken[-1] == "" and words[-1]:
        broken.pop()
    return run("bash", "--norc", "-c", ASK_BASH, "bash", str(script), *broken)


@pytest.mark.parametrize(("words", "offered"), OFFERED)
def test_bash_completes(scripts, words: tuple[str, ...], offered) -> None:
    assert sorted(in_bash(scripts["bash"], words)) == sorted(offered)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        # What stands before the colon is there already.
        (("noc", "tree", "star:"), ["4"]),
        (("noc", "tree", "nk-star:4"), ["4,2"]),
        (("noc", "route", "star:4", "1234", "4321", "--rou"), ["--router"]),
        (("noc", "tree", "star:4", "--algorithm=ba"), ["balanced"]),
        (("noc", "tree", "star:4", "--ports="), ["all", "one"]),
        (("noc", "tree", "--ports=one", "star:"), ["4"]),
    ],
)
def test_bash_completes_words_that_it_breaks(scripts, words, offered: list[str]) -> None:
    assert in_bash(scripts["bash"], words) == offered


def test_bash_completes_files_and_folders(scripts, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").touch()
    Path("planned").mkdir()
    assert sorted(in_bash(scripts["bash"], ("noc", "sweep", "plan"))) == ["plan.toml", "planned"]
    assert in_bash(scripts["bash"], ("noc", "new", "plan")) == ["planned"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("words", "offered"), OFFERED)
def test_fish_completes(scripts, words: tuple[str, ...], offered) -> None:
    asked = f"source {scripts['fish']}; complete -C '{' '.join(words)}'"
    assert sorted(run("fish", "--no-config", "-c", asked)) == sorted(offered)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_loads_it(scripts, tmp_path: Path) -> None:
    """As a function of its completion system, found by the name of the file."""
    shutil.copy(scripts["zsh"], tmp_path / "_noc")
    setup = f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D"
    known = "print $_comps[noc]; autoload +X _noc && print loaded"
    assert run("zsh", "-f", "-c", f"{setup}; {known}") == ["_noc", "loaded"]


def test_names_of_plug_ins_are_completed(tmp_path: Path, cli) -> None:
    plugin = tmp_path / "own.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    script = tmp_path / "script"

    def offered(*options: str) -> list[str]:
        script.write_text(cli.out("completion", "bash", *options), encoding="utf-8")
        asked = in_bash(script, ("noc", "tree", "my-ring:5", "--algorithm", "my"))
        return in_bash(script, ("noc", "tree", "my")) + asked

    assert offered("--plugin", str(plugin)) == ["my-ring:5", "my-own"]
    assert offered() == []

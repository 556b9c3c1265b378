"""Print a script with which a shell completes commands, options and names.

Print a script for a shell, which from then on completes the commands and their options, and the
names of networks, algorithms, traffic, chip families, boards and tables. Names of plug-ins are
among them if --plugin loads these. Print it again after an update.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType

from noc.cli.output import Result

EXAMPLES = (
    "source <(noc completion bash)                 # for this shell; put it into ~/.bashrc",
    "noc completion zsh > ~/.zfunc/_noc            # a folder of fpath, before compinit",
    "noc completion fish > ~/.config/fish/completions/noc.fish",
)

SHELLS = ("bash", "zsh", "fish")

#: Bash breaks words at colons and equal signs, which specs and options have in them. The words are
#: mended before shtab's function sees them, and what is before the colon is not inserted twice.
_BASH = """
_noc_completion() {
  local -a words=()
  local word last=-1 mended=0
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if (( last >= 0 )) && [[ $word == :* || ${words[last]} == *: ]]; then
      words[last]+=$word
      mended=1
    else
      # What follows an equal sign is a word of its own; it may be empty yet.
      [[ $word == = ]] && word=
      (( last >= 0 )) && [[ -z ${words[last]} ]] || (( last += 1 ))
      words[last]=$word
      mended=0
    fi
  done
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$last
  _shtab_noc "$@"
  if (( mended )); then
    local before=${words[last]%:*}:
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
  fi
}
complete -o bashdefault -F _noc_completion noc
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(options: argparse.Namespace) -> Result:
    """The script."""
    import shtab

    from noc.cli import _parser, command_modules

    parser = _parser()
    names = _names(command_modules().values())
    for action in _arguments(parser):
        _describe(action, names)
    script = shtab.complete(parser, shell=options.shell)
    return Result(text=["\n".join([script, _BASH]) if options.shell == "bash" else script])


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments that take any text, of a parser and of the commands below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _arguments(below)
        elif action.nargs != 0 and action.choices is None:
            yield action


def _describe(action: argparse.Action, names: Mapping[str, Sequence[str]]) -> None:
    """Say what is allowed, to shtab only: the parser reads nothing after this."""
    import shtab

    if action.dest in names:
        action.choices = names[action.dest]
    elif action.metavar in ("FILE", "PLAN", "FILE[:NAME]", "N|FILE"):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.metavar == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]


def _names(modules: Iterable[ModuleType]) -> dict[str, Sequence[str]]:
    """What is allowed, by the names of the arguments; commands add to it."""
    from noc.boards import BOARDS
    from noc.model import TRAFFIC
    from noc.model.traffic import OF_VERIFY
    from noc.networks import FAMILIES
    from noc.synth import FAMILIES as CHIPS
    from noc.trees import ALGORITHMS

    names: dict[str, Sequence[str]] = {
        "spec": [family.example for family in FAMILIES.values()],
        "algorithm": list(ALGORITHMS),
        "sources": ["all", "one"],
        "traffic": [*OF_VERIFY, *TRAFFIC],
        "target": sorted(CHIPS),
        "netlist": sorted(CHIPS),
        "board": list(BOARDS),
    }
    for module in modules:
        if hasattr(module, "names"):
            names |= module.names()
    return names

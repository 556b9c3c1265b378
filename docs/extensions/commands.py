"""The directive ``noc-commands``: every command, from the parsers that read the command line."""

import argparse
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import noc.cli

__all__ = ["setup"]

#: Letters in a line of usage.
_WIDTH = 90

#: What argparse calls the arguments that belong to no group of ours.
_PLAIN = {"positional arguments": "", "options": ""}


class Commands(SphinxDirective):
    """A section for each command, with its usage, arguments and examples."""

    def run(self) -> list[nodes.Node]:
        """Describe all of them."""
        # They change with any file of the package.
        self.env.note_reread()
        return [_section(parser) for parser in _commands(noc.cli._parser())]


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the commands of a parser, in their order."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from dict.fromkeys(action.choices.values())


def _section(parser: argparse.ArgumentParser) -> nodes.section:
    section = nodes.section(ids=[nodes.make_id(parser.prog)])
    section += nodes.title("", "", nodes.literal("", parser.prog))
    if parser.description:
        section += nodes.paragraph("", parser.description)
    section += _block(_usage(parser), "text")
    for group in parser._action_groups:
        section += list(_arguments(parser, group))
    if parser.epilog:
        what, _, examples = parser.epilog.partition("\n")
        section += nodes.paragraph("", f"{what[:1].upper()}{what[1:]}")
        if examples:
            section += _block("\n".join(line.strip() for line in examples.split("\n")), "sh")
    section += [_section(below) for below in _commands(parser)]
    return section


def _block(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = parser.formatter_class(prog=parser.prog, width=_WIDTH)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return formatter.format_help().strip()


def _arguments(
    parser: argparse.ArgumentParser, group: argparse._ArgumentGroup
) -> Iterator[nodes.Node]:
    """What a group of arguments is about, and a list of them."""
    formatter = parser.formatter_class(prog=parser.prog, width=_WIDTH)
    listed = nodes.definition_list()
    for action in group._group_actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
            continue
        told = formatter._expand_help(action) if action.help else ""
        listed += nodes.definition_list_item(
            "",
            nodes.term("", "", nodes.literal("", formatter._format_action_invocation(action))),
            nodes.definition("", nodes.paragraph("", told)),
        )
    if not len(listed):
        return
    title = _PLAIN.get(group.title or "", group.title)
    if title:
        yield nodes.paragraph("", f"{title[:1].upper()}{title[1:]}:")
    yield listed


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("noc-commands", Commands)
    return {"parallel_read_safe": True}

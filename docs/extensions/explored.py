"""The directive ``noc-explored SPEC``: the page that ``noc explore SPEC`` writes, within a page."""

import contextlib
import io
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import noc.cli

__all__ = ["setup"]


class Explored(SphinxDirective):
    """A frame, and a link to what it shows."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the page beside this one."""
        (spec,) = self.arguments
        # Other builders have no place for it.
        if self.env.app.builder.format != "html":
            return []
        page = Path(self.env.app.outdir, self.env.docname).with_name(f"explore-{spec}.html")
        page = page.with_name(page.name.replace(":", "-"))
        page.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.redirect_stdout(io.StringIO()):
            status = noc.cli.main(["explore", spec, "-o", str(page)])
        if status:
            raise self.error(f"noc explore {spec} ended with status {status}")
        self.env.note_reread()
        frame = f'<iframe class="explored" src="{page.name}" title="noc explore {spec}"></iframe>'
        link = f'<p><a href="{page.name}">The page by itself</a></p>'
        return [nodes.raw("", frame + link, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("noc-explored", Explored)
    return {"parallel_read_safe": True}

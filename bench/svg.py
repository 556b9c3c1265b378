"""What the drawn pictures of docs/ share: colours for light and dark, and a text beside each."""

from xml.sax.saxutils import escape

from tables import DOCS

# A picture has a ground of its own: the reader may have chosen a light page on a dark system.
_STYLE = """\
.ground{fill:#fff}.ink{stroke:#333;fill:none;stroke-width:1.5}.head{fill:#333}
.box{fill:#eef2f6;stroke:#444}.mark{fill:#f3c969;stroke:#444}.thin{stroke:#bbb;fill:none}
.own{fill:#cfe3f3;stroke:#333;stroke-width:1.5}text{fill:#222}.soft{fill:#595959}
@media(prefers-color-scheme:dark){
.ground{fill:#1b1f23}.ink{stroke:#d5dae0}.head{fill:#d5dae0}.box{fill:#2b333b;stroke:#aab}
.mark{fill:#6b5310;stroke:#aab}.thin{stroke:#555}.own{fill:#24455f;stroke:#d5dae0}
text{fill:#eceff2}.soft{fill:#b4bac1}}"""

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" role="img" aria-labelledby="title desc" \
font-family="sans-serif" font-size="13">
<title id="title">{title}</title>
<desc id="desc">{description}</desc>
<style>{style}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" \
orient="auto" markerUnits="userSpaceOnUse"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="ground" width="{width}" height="{height}"/>
"""


def document(width: int, height: int, title: str, description: str, body: str) -> str:
    """A picture, with its title and what it shows in words."""
    texts = {"title": escape(title), "description": escape(description)}
    return f"{_HEAD.format(width=width, height=height, style=_STYLE, **texts)}{body}</svg>\n"


def label(x: float, y: float, text: str, *, anchor: str = "middle", kind: str = "") -> str:
    """A line of text; ``y`` is its base line."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{named}>{escape(text)}</text>\n'


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight line with a head at its end."""
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line class="ink" {ends} marker-end="url(#head)"/>\n'


def box(x: float, y: float, width: float, height: float, kind: str = "box", corner: int = 5) -> str:
    """A box with round corners, by its upper left corner."""
    size = f'width="{width:g}" height="{height:g}" rx="{corner}"'
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" {size}/>\n'


def write(pictures: dict[str, str]) -> None:
    """Write pictures into the folder, by their names."""
    for name, text in pictures.items():
        file = DOCS / "pictures" / f"{name}.svg"
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file}")

"""The documentation site: sphinx-build -c docs . build/site.

The source folder is that of the repository, so that README.md, CONTRIBUTING.md and the pages in
sim/ and build/ are pages like those in docs/, and links between them hold here and on GitHub alike.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

from noc import __version__

_CITATION = (Path(__file__).parent.parent / "CITATION.cff").read_text(encoding="utf-8")

project = "arbornoc"
copyright = "2026 " + re.findall(r'^  - name: "(.+)"$', _CITATION, re.MULTILINE)[0]  # noqa: A001
version = release = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["commands", "contents", "docstrings", "explored", "notebooks"]

root_doc = "docs/index"
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
include_patterns = ["*.md", "docs/*.md", "docs/*/*.ipynb", "sim/README.md", "build/README.md"]
# Nothing below these is looked at.
exclude_patterns = [".*", "out*", "dist", "noc", "tests", "bench", "build/site"]

# Two hyphens are two hyphens: options of commands begin with them.
smartquotes = False
# Anchors as on GitHub.
myst_heading_anchors = 4

python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
napoleon_google_docstring = False
toc_object_entries_show_parents = "hide"
add_module_names = False
# Types in docstrings are words for people, not names to link.
napoleon_use_param = napoleon_use_rtype = napoleon_use_keyword = False
napoleon_custom_sections = [("Members", "params_style")]
# Signatures name types of other packages, and of modules that are no part of the interface.
nitpick_ignore_regex = [("py:class", ".*")]

html_theme = "furo"
html_title = f"arbornoc {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "first.html"}
templates_path = ["templates"]
# Sources are in the repository.
html_copy_source = False
# It would read other pages, which browsers forbid for files.
html_show_search_summary = False
html_show_sphinx = False

"""Sphinx configuration. Nothing in the pages is fetched from elsewhere: mathematics is MathML, fonts are the reader's own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "lagrangian"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "snippets", "mathml", "checks"]
exclude_patterns = ["_build", "snippets", "extensions"]

html_theme = "furo"
html_title = "lagrangian"
html_static_path = ["_static"]
html_css_files = ["mathematics.css"]
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["myst.xref_missing"]

autodoc_typehints = "description"
autodoc_member_order = "bysource"

# a function or method that a page names has to be in the reference; what type hints name need not
nitpicky = True
nitpick_ignore_regex = [("py:(class|data|exc|mod|attr|meth|func)", ".*")]

"""Sphinx configuration. Nothing in the pages is fetched from elsewhere: mathematics is MathML, fonts are the reader's own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "lagrangian"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "snippets",
    "mathml",
    "checks",
    "commands",
]
exclude_patterns = ["_build", "snippets", "extensions"]

html_theme = "furo"
html_title = "lagrangian"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_copyright = False
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["myst.xref_missing"]

default_role = "code"
smartquotes = False
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 140
autodoc_member_order = "bysource"

# a function or method that a page names has to be in the reference; what type hints name need not
nitpicky = True
nitpick_ignore_regex = [("py:(class|data|exc|mod|attr|meth|func)", ".*")]

# classes that functions give, and nobody calls: what their constructors take says nothing
GIVEN = {
    *(
        "Equations",
        "Formula",
        "FormulaMatrix",
        "TraceForm",
        "NewtonEuler",
        "Kane",
        "LinkBody",
        "UickerKahn",
        "Dynamics",
        "CartesianDynamics",
        "Constrained",
    ),
    *("Motion", "PathMotion", "Mobility", "Linearisation", "Mode", "JointPath", "CartesianPath", "FourierPath"),
    *("Sizing", "Demand", "Actuator", "Candidate", "Identification", "Controller", "CartesianController"),
}


def without_constructor(app, what, name, *_):
    return ("", None) if what == "class" and name.rsplit(".", 1)[-1] in GIVEN else None


def setup(app):
    app.connect("autodoc-process-signature", without_constructor)

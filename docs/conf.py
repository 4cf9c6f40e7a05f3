"""Sphinx configuration. Nothing in the pages is fetched from elsewhere: mathematics is MathML, fonts are the reader's own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "lagrangian"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "snippets",
    "mathml",
    "checks",
    "commands",
    "gallery",
    "mechanisms",
    "search_words",
    "notebooks",
    "slides",
]
exclude_patterns = ["_build", "_made", "snippets", "extensions", "prose"]

html_theme = "furo"
html_title = "lagrangian"
html_static_path = ["_static"]
html_extra_path = ["_made/extra"] if (Path(__file__).parent / "_made" / "extra").exists() else []
html_css_files = ["pages.css"]
html_show_copyright = False
html_show_search_summary = False  # a page opened as a file may not fetch others
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

default_role = "code"
smartquotes = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say types in words
python_use_unqualified_type_names = True
maximum_signature_line_length = 140
autodoc_member_order = "bysource"

# a function or method that a page names has to be in the reference; what type hints name need not
nitpicky = True
nitpick_ignore_regex = [("py:(class|data|exc|mod|attr|meth|func)", ".*")]

# classes of results, which users do not construct: their pages leave the arguments of the constructor out
RESULT_CLASSES = {
    *(
        "EquationsOfMotion",
        "Formula",
        "FormulaMatrix",
        "UickerKahnForm",
        "NewtonEuler",
        "Kane",
        "LinkBody",
        "UickerKahn",
        "Dynamics",
        "BatchedDynamics",
        "OperationalSpaceDynamics",
        "ConstrainedDynamics",
        "CartesianEquations",
        "ReducedEquations",
        "CompiledEquations",
        "ReferenceMotion",
        "EquationRow",
        "BaseParameters",
        "Certificate",
        "Statement",
        "AnswerReport",
        "AnswerCheck",
    ),
    *("Motion", "InverseDynamicsResult", "Mobility", "Linearisation", "Mode", "JointPath", "CartesianPath", "FourierTrajectory"),
    *("ActuatorSizing", "Demand", "Actuator", "Candidate", "Identification", "Controller", "CartesianController"),
    *(
        "CycleAnalysis",
        "OutputTravel",
        "DeadCentre",
        "CycleComparison",
        "CouplerCurve",
        "Workspace",
        "Singularities",
        "Singularity",
        "ExportResult",
    ),
    *("ParameterEstimate", "Validation"),
    *("Motions", "Ending", "Sensitivities", "SolverComparison", "Optimum", "CertifiedMotion", "CertifiedState", "BoundedNumber"),
    *("Study", "SensitivityIndices"),
    *("Conversion", "Shape", "Catalogue", "CatalogueEntry"),
}


def without_constructor(app, what, name, *_):
    return ("", None) if what == "class" and name.rsplit(".", 1)[-1] in RESULT_CLASSES else None


def setup(app):
    app.connect("autodoc-process-signature", without_constructor)

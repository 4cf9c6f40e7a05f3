"""Sphinx configuration."""

project = "lagrangian"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing"]

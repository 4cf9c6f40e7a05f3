"""Mechanisms and their functions for other programs: source code, FMUs, functions of other packages, robot files.

`targets` has a module for each target; `source` writes routines in the languages of source code; `fmi` makes FMUs.
"""

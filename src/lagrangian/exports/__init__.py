"""Mechanisms and their functions for other programs: source code, FMUs, functions of other packages, robot files."""

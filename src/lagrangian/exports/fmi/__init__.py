"""Functional Mock-up Units, FMI 3.0: the variables of a mechanism, their description in XML, and the C that computes them."""

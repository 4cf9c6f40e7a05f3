"""Recursive algorithms over the links of a mechanism, each written once for all kinds of numbers; start with `sweep`."""

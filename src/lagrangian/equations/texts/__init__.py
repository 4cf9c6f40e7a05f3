"""Formulas as people write them, read into the ring of a system: texts, SymPy expressions and expressions of the model."""

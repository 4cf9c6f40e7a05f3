"""Exact arithmetic: the ring of polynomials with relations, numbers that are exact, matrices, and elimination."""

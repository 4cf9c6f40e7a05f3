"""Exact derivatives of motions, and of quantities of the state, along parameters and starts."""

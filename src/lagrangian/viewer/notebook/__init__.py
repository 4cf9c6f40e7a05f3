"""Animations in the cells of notebooks."""

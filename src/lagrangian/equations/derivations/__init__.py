"""Derivations of the equations of motion, each as its book has it, over the same exact links."""

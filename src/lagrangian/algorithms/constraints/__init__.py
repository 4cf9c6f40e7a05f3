"""Closed mechanisms: constraint equations with their derivatives, and equations of motion with multipliers."""

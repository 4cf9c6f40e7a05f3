"""Proofs, by exact arithmetic, that independent derivations and the compiled algorithms give the same equations of motion."""

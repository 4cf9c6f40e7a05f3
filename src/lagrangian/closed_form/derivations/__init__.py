"""Other derivations of the same equations, as formulas to read: Newton-Euler, Kane, Uicker-Kahn."""

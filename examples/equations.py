"""Equations of motion to read: closed form, proved, in base parameters, typeset, and run."""

import lagrangian as lg

# A planar arm with named parameters: its equations as in the textbook.
arm = lg.library("two_r")
eom = lg.derive(arm)
eom.show()

# Entries are formulas: exact, printable, comparable, differentiable.
print("\nM12 =", eom.M[0, 1])
print("dM12/dtheta2 =", eom.M[0, 1].diff("theta2"))
print("LaTeX:", eom.M[0, 1].latex())
print("at q = (0.3, 0.8):", eom.M.evaluate([0.3, 0.8]).round(3).tolist())

# Four derivations and the shipped algorithms give the same equations, as polynomials.
print("\n" + str(eom.prove()))

# A real robot with every inertial parameter a symbol: 60 parameters, of which 36 combinations matter.
puma = lg.derive(lg.library("puma560"), symbols="inertial")
print("\nPUMA 560, M66 =", puma.M[5, 5], "and M55 =", puma.grouped().M[4, 4])
print(len(puma.base_parameters()), "base parameters;", puma.grouped().M.operators, "operators in M")

# A closed loop: constraint, its matrix, its singular configurations; the parallelogram in two coordinates.
five_bar = lg.derive(lg.library("five_bar"))
print("\neta1 =", five_bar.eta[0], "= 0")
print("singular where one of these is zero:", five_bar.singularities())
print(five_bar.reduced())

# The tip's Cartesian equations, and the closed form as machine code.
tip = eom.cartesian("tip", ("x", "y"))
print("\ndet J =", tip.determinant, "  G_x =", tip.G_x[0])
print("gravity torques:", eom.compile().gravity([0.3, 0.8]).round(3).tolist())

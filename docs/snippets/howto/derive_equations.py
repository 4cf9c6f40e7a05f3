"""What docs/howto/derive_equations.md shows, in its order."""

# --- show
import lagrangian as lg

eom = lg.derive("two_r")
eom.show()

# --- entries
print("M12 =", eom.M[0, 1])
print("G =", [str(x) for x in eom.G])
print("whole second equation:", eom.rows[1])
print("LaTeX:", eom.M[0, 1].latex())

# --- values
print(eom.M.evaluate([0.3, 0.8]).round(3).tolist())
print(eom.tau.evaluate([0.3, 0.8], [0, 0], [1, 0], m2=20.0).round(3).tolist())
print(eom.compile().gravity([[0.3, 0.8], [0.0, 0.0]]).round(3).tolist())

# --- save
eom.save("two_r.tex")  # or .md
matrices = eom.to_sympy()
print(matrices["M"][1, 1], "  ", sorted(matrices))

# --- work
print(eom.M[0, 1] == "m2*r2*(r2 + l1*cos(theta2)) + I2")
print(eom.M[0, 1] == "m2*r2*(r2 - l1*cos(theta2)) + I2")
print(eom.M[0, 1].subs(theta2="pi/2", r2="l1/2"))
print(eom.M[0, 1].diff("r2"), "  depends on", ", ".join(eom.M[0, 1].names))

# --- lagrange
L = eom.lagrangian
print(L.diff("theta1'").diff("t") - L.diff("theta1") == eom.tau[0])
print(eom.M @ eom.qdd + eom.C @ eom.qd + eom.G == eom.tau)

# --- names
l1, m1 = lg.parameter("l1", 0.5), lg.parameter("m1", 2.0)
I1 = m1 * l1**2 / 12
rows = [lg.DHParameters("R", a=l1, mass=m1, center=(-l1 / 2, 0, 0), inertia=(0, I1, I1))]
arm = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -9.81, 0))
print(lg.derive(arm).M)

# --- inertial
puma = lg.derive("puma560", symbols="inertial")
print("M66 =", puma.M[5, 5])
grouped = puma.in_base_parameters()
print("M55 =", grouped.M[4, 4])
print(len(puma.base_parameters()), "base parameters")
print(grouped.M.operator_count, "operators in M")

# --- tip
tip = eom.cartesian("tip", ("x", "y"))
print("det J =", tip.determinant)
print("G_x =", tip.G_x[0])

# --- links
bodies = eom.newton_euler()
second = bodies.links["link2"]
print("a_C =", second.center_acceleration[1])
print("f_y =", second.force[1])
print("n_z =", second.moment[2])

# --- kane
absolute = eom.kane({"u1": "theta1'", "u2": "theta1' + theta2'"})
print("v of link2:", [str(x) for x in absolute.partial_velocities["link2"].rows[1]])
for row in absolute.rows:
    print(row)

# --- multipliers
wire = lg.derive("wire_particles")
print("lambda =", wire.multipliers[0])
disc = lg.derive("rolling_disc")
print("no slip along x:", [str(x) for x in disc.Psi[1]])
print("lean'' =", disc.accelerations[4])
print("standing:", disc.multipliers.evaluate([0, 0, 0.2, 0, 0, 0], [0] * 6).tolist())

# --- loops
five_bar = lg.derive("five_bar")
print("closure1 =", five_bar.closure[0], "= 0")
print("singular where one of these is zero:", five_bar.singularities())
reduced = five_bar.in_independent_coordinates()  # reduced.show() writes all of it
print("\n".join(reduced.solution))
print(reduced.M)
print(reduced.G)

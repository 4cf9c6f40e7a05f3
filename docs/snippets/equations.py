"""What docs/equations.md shows, in its order."""

# --- show
import lagrangian as lg

eom = lg.derive(lg.library("two_r"))
eom.show()

# --- entries
print("M12 =", eom.M[0, 1])
print("dM12/dtheta2 =", eom.M[0, 1].diff("theta2"))
print("LaTeX:", eom.M[0, 1].latex())
print("at q = (0.3, 0.8):", eom.M.evaluate([0.3, 0.8]).round(3).tolist())
print("gravity torques:", eom.compile().gravity([0.3, 0.8]).round(3).tolist())

# --- tip
tip = eom.cartesian("tip", ("x", "y"))
print("det J =", tip.determinant, "  G_x =", tip.G_x[0])

# --- work
print(
    eom.M[0, 1] == "m2*(r2^2 + l1*r2*cos(theta2)) + I2",
    eom.M[0, 1] == "m2*(r2^2 - l1*r2*cos(theta2)) + I2",
)
print(eom.M[0, 1].subs(theta2="pi/2", r2="l1/2"))
print(eom.M[0, 1].diff("r2"), "  depends on", ", ".join(eom.M[0, 1].names))
L = eom.lagrangian
print(L.diff("theta1'").diff("t") - L.diff("theta1") == eom.tau[0])
print(eom.M @ eom.qdd + eom.C @ eom.qd + eom.G == eom.tau)

# --- names
l1, m1 = lg.parameter("l1", 0.5), lg.parameter("m1", 2.0)
I1 = m1 * l1**2 / 12
rows = [lg.DHRow("R", a=l1, mass=m1, center=(-l1 / 2, 0, 0), inertia=(0, I1, I1))]
arm = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -9.81, 0))
print(lg.derive(arm).M)

# --- inertial
puma = lg.derive(lg.library("puma560"), symbols="inertial")
print("M66 =", puma.M[5, 5])
grouped = puma.grouped()
print("M55 =", grouped.M[4, 4])
print(len(puma.base_parameters()), "base parameters")

# --- links
bodies = eom.newton_euler()
second = bodies.links["link2"]
print("a_C =", second.center_acceleration[1])
print("f_y =", second.force[1])
print("n_z =", second.moment[2])
print("the same torques, exactly:", list(bodies.tau) == list(eom.tau))

# --- kane
absolute = eom.kane({"u1": "theta1'", "u2": "theta1' + theta2'"})
print("v of link2:", [str(x) for x in absolute.partial_velocities["link2"].rows[1]])
for row in absolute.rows:
    print(row)

# --- prove
certificate = eom.prove()  # print it for the table, with entries, terms and times
print(certificate.proved)
for statement in certificate.statements:
    print(f"{statement.what:<40}{statement.how}")

# --- prove-loops
certificate = lg.derive(lg.library("four_bar")).prove()
for statement in certificate.statements[-5:]:
    print(f"{statement.what:<42}{statement.how:<22}{statement.result}")

# --- multipliers
wire = lg.derive(lg.library("wire_particles"))
print("lambda =", wire.multipliers[0])
disc = lg.derive(lg.library("rolling_disc"))
print("no slip along x:", [str(x) for x in disc.Psi[1]])
print("lean'' =", disc.accelerations[4])
print("standing:", disc.multipliers.evaluate([0, 0, 0.2, 0, 0, 0], [0] * 6).tolist())

# --- loops
five_bar = lg.derive(lg.library("five_bar"))
print("closure1 =", five_bar.closure[0], "= 0")
print("singular where one of these is zero:", five_bar.singularities())
reduced = five_bar.reduced()  # reduced.show() writes all of it
print("\n".join(reduced.solution))
print(reduced.M)
print(reduced.G)

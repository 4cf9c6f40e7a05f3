"""What docs/equations.md shows, besides examples/equations.py."""

# --- names
import lagrangian as lg

l1, m1 = lg.parameter("l1", 0.5), lg.parameter("m1", 2.0)
rows = [lg.DHRow("R", a=l1, mass=m1, center=(-l1 / 2, 0, 0), inertia=(0, m1 * l1**2 / 12, m1 * l1**2 / 12))]
arm = lg.Mechanism.from_dh(rows, convention="standard", gravity=(0, -9.81, 0))
print(lg.derive(arm).M)

# --- theirs
import sympy as sm
from sympy.physics import mechanics as me

theta1, theta2 = me.dynamicsymbols("theta1 theta2")
l1, m1, m2, r1, r2, I1, I2, g = sm.symbols("l1 m1 m2 r1 r2 I1 I2 g")

N = me.ReferenceFrame("N")
A = N.orientnew("A", "Axis", (theta1, N.z))
B = A.orientnew("B", "Axis", (theta2, A.z))
origin = me.Point("O")
origin.set_vel(N, 0)
elbow = origin.locatenew("elbow", l1 * A.x)
first, second = origin.locatenew("C1", r1 * A.x), elbow.locatenew("C2", r2 * B.x)
elbow.v2pt_theory(origin, N, A)
first.v2pt_theory(origin, N, A)
second.v2pt_theory(elbow, N, B)
upper = me.RigidBody("link1", first, A, m1, (me.inertia(A, 0, I1, I1), first))
fore = me.RigidBody("link2", second, B, m2, (me.inertia(B, 0, I2, I2), second))
for body, point in ((upper, first), (fore, second)):
    body.potential_energy = body.mass * g * point.pos_from(origin).dot(N.y)

L = me.Lagrangian(N, upper, fore)
method = me.LagrangesMethod(L, [theta1, theta2])
rows = method.form_lagranges_equations()

# --- ours
import lagrangian as lg

eom = lg.derive(lg.library("two_r"))
print(eom.M)
print(eom.G)

# --- compare
ours = eom.to_sympy(dynamic=True)
print(sm.simplify(method.mass_matrix - ours["M"]).is_zero_matrix)
print(sm.simplify(rows - ours["tau"]).is_zero_matrix)

# --- numbers
q, qd = [0.3, 0.8], [1.0, -0.5]
dyn = lg.compile("two_r")
print(dyn.forward_dynamics(q, qd, [0, 0]).round(4))

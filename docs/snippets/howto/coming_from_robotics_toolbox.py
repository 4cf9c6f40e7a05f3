# --- puma
import numpy as np

import lagrangian as lg

puma = lg.library("puma560")  # rtb.models.DH.Puma560()
dyn = lg.compile(puma)
qn, zero = puma.poses["qn"], np.zeros(6)

print(dyn.gravity(qn)[:3].round(4) + 0.0)  # puma.gravload(puma.qn)
print(dyn.mass_matrix(qn).diagonal().round(4))  # puma.inertia(puma.qn)
tau = dyn.inverse_dynamics(qn, zero, zero)  # puma.rne(puma.qn, zero, zero)
print(tau[:3].round(4) + 0.0)
print(dyn.pose(qn, "tool")[:3, 3].round(4))  # puma.fkine(puma.qn).t

# --- link
from math import pi


def link(
    *, a=0.0, alpha=0.0, d=0.0, m=0.0, r=(0, 0, 0), I=(0,) * 6, motor=(0, 1, 0, 0, 0)
):
    """A row from the arguments of RevoluteDH; motor is Jm, G, B, Tc+, Tc-."""
    xx, yy, zz, xy, yz, xz = I
    Jm, G, B, plus, minus = motor
    friction = lg.Friction(G**2 * B, abs(G) * plus, abs(G) * abs(minus))
    return lg.DHParameters(
        "R",
        a=a,
        alpha=alpha,
        d=d,
        mass=m,
        center=r,
        inertia=(xx, xy, xz, yy, yz, zz),
        rotor=lg.Rotor(Jm, G),
        friction=friction,
    )


motor = (2e-4, 100.0, 1e-5, 0.02, -0.02)
arm = lg.Mechanism.from_dh(
    [
        link(d=0.3, alpha=pi / 2, m=4.0, I=(0.02, 0.01, 0.02, 0, 0, 0), motor=motor),
        link(a=0.4, m=3.0, r=(-0.2, 0, 0), I=(0, 0.04, 0.04, 0, 0, 0), motor=motor),
    ],
    convention="standard",
    name="two joints",
)
print(arm.joint("q2").friction)
print(lg.derive(arm).M[1, 1])

# --- simulate
motion = lg.simulate(arm, 2, q0=[0.0, 0.5])  # robot.fdyn(2, [0, 0.5])
print(motion)

# --- path
path = lg.paths.joint_line([0, 0], [1.0, 0.5], duration=1.0)  # jtraj(q0, q1, t)
torques = lg.inverse(arm, path)
print(torques)

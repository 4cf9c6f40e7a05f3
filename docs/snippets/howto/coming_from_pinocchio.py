# --- models
import numpy as np
import pinocchio as pin

import lagrangian as lg

robot = lg.library("ur5")
lg.save(robot, "ur5.urdf")

model = pin.buildModelFromUrdf("ur5.urdf")  # Pinocchio
data = model.createData()
dyn = lg.compile(lg.load("ur5.urdf"))  # lagrangian: no data object

# --- dynamics
q = np.array([0.1, -0.6, 1.2, -0.4, 0.8, 0.3])
v = np.array([0.5, -0.2, 0.4, 0.1, -0.3, 0.6])
a = np.array([1.0, 0.5, -0.5, 0.2, 0.3, -0.1])


def compare(name, theirs, ours):
    print(
        f"{name:<10}", "same" if np.allclose(theirs, ours, rtol=0, atol=1e-9) else "not"
    )


compare("rnea", pin.rnea(model, data, q, v, a), dyn.inverse_dynamics(q, v, a))
compare("aba", pin.aba(model, data, q, v, a), dyn.forward_dynamics(q, v, a))
compare("crba", pin.crba(model, data, q), dyn.mass_matrix(q))
C = pin.computeCoriolisMatrix(model, data, q, v)
compare("Coriolis", C, dyn.coriolis_matrix(q, v))
compare("gravity", pin.computeGeneralizedGravity(model, data, q), dyn.gravity(q))

# --- frames
tool = model.getFrameId("tool")
pin.framesForwardKinematics(model, data, q)
compare("pose", data.oMf[tool].homogeneous, dyn.pose(q, "tool"))

theirs = pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL_WORLD_ALIGNED)
ours = dyn.jacobian(q, "tool")
compare("Jacobian", theirs, ours[[3, 4, 5, 0, 1, 2]])  # ours has angular rows first

# --- derivatives
theirs = pin.computeRNEADerivatives(model, data, q, v, a)
ours = dyn.inverse_dynamics_derivatives(q, v, a)
for name, x, y in zip(("d tau/dq", "d tau/dv", "d tau/da"), theirs, ours, strict=True):
    compare(name, x, y)

# --- many
states = np.tile(q, (1000, 1))
tau = dyn.inverse_dynamics(states, np.tile(v, (1000, 1)), np.tile(a, (1000, 1)))
print(tau.shape)

# --- free
flying = pin.buildModelFromUrdf("ur5.urdf", pin.JointModelFreeFlyer())
print("Pinocchio ", pin.neutral(flying)[:7])
print("lagrangian", lg.load("ur5.urdf", floating=True).neutral()[:7])

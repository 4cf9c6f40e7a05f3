"""What docs/readers.md shows, in its order."""

# --- actuators
import lagrangian as lg

ARM = """
<mujoco model="arm">
  <worldbody>
    <body name="link">
      <joint name="elbow" axis="0 1 0"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="elbow" kp="40" kv="4"/>
  </actuator>
</mujoco>
"""

arm = lg.loads(ARM, "mjcf", parameters={"ctrl_servo": 0.5})
print(arm.parameters)
print(dict(arm.initial.torque)["elbow"])
held = lg.simulate(arm, 3)
fallen = lg.simulate(arm, 3, torque=0)
print(f"{held.q[-1, 0]:.3f} rad with the servo, {fallen.q[-1, 0]:.3f} rad without")

# --- free-joints-in-mujoco-and-pinocchio
import numpy as np

import lagrangian as lg


def from_mujoco(qpos, qvel):
    """A free joint's q and qd from MuJoCo's qpos and qvel."""
    position, wxyz = qpos[:3], qpos[3:]
    R = lg.Placement.from_quaternion(position, wxyz).matrix()[:3, :3]
    return np.r_[wxyz, position], np.r_[qvel[3:], R.T @ qvel[:3]]


def to_mujoco(q, qd):
    wxyz, position = q[:4], q[4:]
    R = lg.Placement.from_quaternion(position, wxyz).matrix()[:3, :3]
    return np.r_[position, wxyz], np.r_[R @ qd[3:], qd[:3]]


def from_pinocchio(q, v):
    """A free joint's q and qd from those of Pinocchio's free-flyer."""
    return np.r_[q[6], q[3:6], q[:3]], np.r_[v[3:], v[:3]]


def to_pinocchio(q, qd):
    return np.r_[q[4:], q[1:4], q[0]], np.r_[qd[3:], qd[:3]]

"""The examples of docs/reference/mjcf.md, in its order."""

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

# --- inertia
import mujoco
import numpy as np

TOOL = """
<mujoco model="tool">
  <worldbody>
    <body name="tool">
      <freejoint/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0.1 0"/>
      <geom type="ellipsoid" size="0.1 0.05 0.02" pos="0.2 0 0.1" euler="30 20 10"/>
      <geom type="box" size="0.05 0.02 0.01" pos="0 0.1 0" density="2700"/>
    </body>
  </worldbody>
</mujoco>
"""

tool = lg.loads(TOOL, "mjcf").body("tool")
theirs = mujoco.MjModel.from_xml_string(TOOL).body("tool")
xx, xy, xz, yy, yz, zz = tool.inertia
moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
same = np.allclose(moments, np.sort(theirs.inertia), rtol=1e-10)
print(f"mass {tool.mass:.4f} kg, in MuJoCo {theirs.mass[0]:.4f} kg")
print("principal moments within 1e-10:", same)

# --- soft
bar = lg.library("four_bar")
text = lg.dumps(bar, "mjcf")
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
exact = lg.simulate(bar, 0.01).qdd[0]
print(next(line.strip() for line in text.splitlines() if "solimp" in line))
print(f"MuJoCo's accelerations differ by {np.abs(data.qacc / exact - 1).max():.0e}")

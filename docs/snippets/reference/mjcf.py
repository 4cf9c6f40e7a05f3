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

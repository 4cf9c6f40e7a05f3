"""Load an arm from URDF, read its friction, give it a payload, and compare the torques with the limits of its joints."""

import numpy as np

import lagrangian as lg

URDF = """<robot name="arm"> <link name="base"/>
<link name="upper"> <inertial> <origin xyz="0.25 0 0"/> <mass value="3"/>
  <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.064" iyz="0" izz="0.064"/> </inertial> </link>
<link name="fore"> <inertial> <origin xyz="0.2 0 0"/> <mass value="2"/>
  <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.027" iyz="0" izz="0.027"/> </inertial> </link>
<joint name="shoulder" type="revolute"> <parent link="base"/> <child link="upper"/> <axis xyz="0 -1 0"/>
  <limit lower="-2.5" upper="2.5" effort="60" velocity="3"/> <dynamics damping="0.8" friction="1.5"/> </joint>
<joint name="elbow" type="revolute"> <parent link="upper"/> <child link="fore"/> <origin xyz="0.5 0 0"/> <axis xyz="0 -1 0"/>
  <limit lower="-2.5" upper="2.5" effort="20" velocity="3"/> <dynamics damping="0.4" friction="0.6"/> </joint>
<link name="tool"/>
<joint name="flange" type="fixed"> <parent link="fore"/> <child link="tool"/> <origin xyz="0.4 0 0"/> </joint>
</robot>"""

arm = lg.loads(URDF, format="urdf")  # or lg.load("arm.urdf")
joints = [arm.joint(name) for name in arm.coordinate_names]
for joint in joints:
    viscous, dry, limit = joint.friction.viscous, joint.friction.coulomb, joint.limits.effort
    print(f"{joint.name}: viscous friction {viscous:g} N m s/rad, dry friction {dry:g} N m, limit {limit:g} N m")

# Lift the tool in one second, with and without a load in the gripper.
lift = lg.paths.joint_line([-0.8, 0.3], [0.6, 1.2], duration=1.0)
for mass in (0.0, 0.75, 1.5):
    motion = lg.inverse(arm.with_payload("tool", mass), lift)
    total, friction = (np.abs(each).max(axis=0).round(1) for each in (motion.tau, motion.friction))
    print(f"payload {mass:g} kg: peak torques {total} N m, of which friction is at most {friction} N m")

# The heaviest load that the arm holds with both links level. The torque grows linearly with the mass.
effort, level = np.array([joint.limits.effort for joint in joints]), np.zeros(2)
empty, loaded = (lg.compile(arm.with_payload("tool", mass)).gravity(level) for mass in (0.0, 1.0))
print(f"largest payload at full reach: {((effort - empty) / (loaded - empty)).min():.2f} kg")

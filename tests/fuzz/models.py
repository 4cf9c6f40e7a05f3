"""Small robots in the formats of other tools, to be mutated. A format more is one entry more."""

from __future__ import annotations

LINK = """<inertial><origin xyz="0.1 0 0" rpy="0 0 0.2"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0" ixz="0.001" iyy="0.03" iyz="0" izz="0.03"/></inertial>"""

URDF = (
    f"""<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"/>
  <link name="upper">{LINK}<visual><geometry><box size="0.3 0.1 0.1"/></geometry><material name="blue"/></visual></link>
  <link name="lower">{LINK}<collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.4" rpy="0 1.5708 0"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="40" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0.3 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 1"/>
    <mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/></joint>
  <transmission name="t"><joint name="shoulder"/>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>
</robot>
""",
    f"""<robot name="cart">
  <link name="world"/>
  <link name="cart">{LINK}</link>
  <link name="plate">{LINK}</link>
  <link name="ball">{LINK}</link>
  <joint name="slide" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><safety_controller soft_lower_limit="-0.9" k_velocity="1"/></joint>
  <joint name="glide" type="planar"><parent link="cart"/><child link="plate"/><axis xyz="0 0 1"/></joint>
  <joint name="float" type="floating"><origin rpy="0.1 0.2 0.3"/><parent link="plate"/><child link="ball"/></joint>
  <gazebo reference="cart"><material>Gazebo/Red</material></gazebo>
</robot>
""",
)

MJCF = (
    """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0 0 -9.81" timestep="0.002"/>
  <default><joint damping="0.1"/><geom density="800"/><default class="small"><geom size="0.02" type="sphere"/></default></default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 0.1"/>
    <body name="upper" pos="0 0 0.5" euler="0 10 0">
      <joint name="shoulder" type="hinge" axis="0 1 0" range="-90 90" stiffness="1" springref="5"
        frictionloss="0.1" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body name="lower" pos="0.3 0 0" quat="1 0 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0.5" pos="0 0 0.01"/>
        <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.002 0.003 0.003"/>
        <site name="tip" pos="0.2 0 0"/>
        <geom class="small"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="shoulder" gear="20"/><position joint="elbow" kp="5"/></actuator>
  <keyframe><key name="home" qpos="0.1 0.2"/></keyframe>
</mujoco>
""",
    """<mujoco model="loop">
  <worldbody>
    <body name="a" pos="0 0 0"><joint name="ja" type="hinge" axis="0 1 0"/><geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0"/>
      <body name="b" pos="0.4 0 0"><joint name="jb" type="hinge" axis="0 1 0"/>
        <geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0"/></body>
    </body>
    <body name="c" pos="0.4 0 -0.3"><joint name="jc" type="hinge" axis="0 1 0"/><geom type="cylinder" size="0.03 0.1"/></body>
    <body name="d" pos="0 1 0"><freejoint name="fd"/><geom type="ellipsoid" size="0.1 0.2 0.3" mass="2"/></body>
    <body name="e" pos="0 2 0"><joint name="je" type="ball" damping="0.2"/><geom size="0.1"/></body>
    <body name="f" pos="0 3 0"><joint name="jf" type="slide" axis="1 0 0" range="-1 1" limited="true"/><geom size="0.1"/></body>
  </worldbody>
  <equality>
    <connect body1="b" body2="c" anchor="0.4 0 0"/>
    <joint joint1="ja" joint2="jf" polycoef="0 0.5 0 0 0"/>
  </equality>
  <tendon><fixed name="t"><joint joint="ja" coef="1"/><joint joint="jb" coef="-1"/></fixed></tendon>
  <contact><exclude body1="a" body2="b"/></contact>
</mujoco>
""",
    """<mujoco model="copies">
  <asset><mesh name="wedge" vertex="0 0 0 0.1 0 0 0 0.1 0 0 0 0.1" scale="1 1 2"/></asset>
  <worldbody>
    <frame pos="0 0 1" euler="0 0 90">
      <replicate count="2" offset="0.2 0 0" euler="0 0 30">
        <body name="link"><joint name="turn" axis="0 1 0"/><geom type="mesh" mesh="wedge" density="500"/></body>
      </replicate>
    </frame>
    <body name="last" pos="0 0 2" childclass="main"><joint name="slide" type="slide" axis="0 0 1"/>
      <geom size="0.1" shellinertia="true"/>
      <site name="s0"/></body>
    <site name="s1" pos="0 0 3"/>
  </worldbody>
  <tendon><spatial name="rope" stiffness="10" damping="1" range="0 2"><site site="s0"/><site site="s1"/></spatial></tendon>
  <equality><weld body1="last" active="false"/><tendon tendon1="rope" active="false"/></equality>
</mujoco>
""",
)

SDF = (
    """<sdf version="1.9"><model name="arm"><pose>0 0 0.5 0 0 0.3</pose>
  <link name="base"><inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz></inertia></inertial></link>
  <link name="upper"><pose relative_to="base">0.1 0 0.2 0 0.4 0</pose><inertial><pose>0 0 0.2 0 0 0</pose><mass>1.5</mass>
    <inertia><ixx>0.02</ixx><ixy>0.001</ixy><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial></link>
  <frame name="tip" attached_to="upper"><pose>0 0 0.5 0 0 0</pose></frame>
  <model name="hand" placement_frame="palm"><pose relative_to="tip"/><link name="palm"/>
    <link name="finger"><pose>0 0 0.1 0 0 0</pose></link>
    <joint name="grip" type="prismatic"><parent>palm</parent><child>finger</child><axis><xyz>1 0 0</xyz>
      <limit><lower>-0.1</lower><upper>0.1</upper><effort>20</effort></limit></axis></joint></model>
  <joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><axis><xyz expressed_in="base">0 1 0</xyz>
    <dynamics><damping>0.1</damping><friction>0.05</friction><spring_stiffness>2</spring_stiffness></dynamics></axis></joint>
  <joint name="wrist" type="universal"><parent>upper</parent><child>hand::palm</child>
    <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
</model></sdf>
""",
    """<sdf version="1.6"><world name="w"><gravity>0 0 -9.8</gravity>
  <model name="bars">
    <link name="a"><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass></inertial></link>
    <link name="b"><pose>0.4 0 0 0 0 1</pose></link><link name="c"><pose>0.6 0.3 0 0 0 0</pose></link>
    <joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="jb" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="jc" type="revolute"><parent>world</parent><child>c</child><axis><xyz>0 0 1</xyz>
      <use_parent_model_frame>1</use_parent_model_frame></axis></joint>
    <joint name="jd" type="ball"><pose>0 0.2 0 0 0 0</pose><parent>b</parent><child>c</child></joint>
  </model>
  <model name="screw"><pose>1 0 0 0 0 0</pose><link name="nut"/><link name="rod"/>
    <joint name="hold" type="fixed"><parent>world</parent><child>nut</child></joint>
    <joint name="s" type="screw"><parent>nut</parent><child>rod</child><thread_pitch>-20</thread_pitch>
      <axis><xyz>0 0 1</xyz></axis></joint></model>
  <model name="floor"><static>true</static><link name="plane"/></model>
</world></sdf>
""",
)

MODELS: dict[str, tuple[str, tuple[str, ...]]] = {"urdf": (".urdf", URDF), "mjcf": (".xml", MJCF), "sdf": (".sdf", SDF)}

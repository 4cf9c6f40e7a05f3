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

INERTIAL = """<inertial><pose>0.1 0 0 0 0 0.2</pose><mass>1.5</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.03</izz><ixz>0.001</ixz></inertia></inertial>"""

SDF = (
    f"""<?xml version="1.0"?>
<sdf version="1.9">
  <world name="w">
    <gravity>0 0 -9.8</gravity>
    <model name="arm">
      <pose>0 0 0.5 0 0 0.3</pose>
      <frame name="mark" attached_to="upper"><pose>0.1 0 0 0 0 0</pose></frame>
      <link name="upper"><pose>0 0 0.1 0 0 0</pose>{INERTIAL}</link>
      <link name="lower"><pose relative_to="upper">0.3 0 0 0 0 0</pose>{INERTIAL}
        <visual name="v"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></visual></link>
      <joint name="shoulder" type="revolute"><parent>world</parent><child>upper</child>
        <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper><effort>10</effort></limit>
          <dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>1</spring_stiffness></dynamics></axis></joint>
      <joint name="elbow" type="universal"><parent>upper</parent><child>lower</child>
        <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
    </model>
  </world>
</sdf>
""",
    f"""<sdf version="1.7">
  <model name="loop">
    <link name="a">{INERTIAL}</link>
    <link name="b"><pose>0.4 0 0 0 0 0</pose>{INERTIAL}</link>
    <link name="c"><pose>0.4 0.3 0 0 0 0</pose>{INERTIAL}</link>
    <joint name="j0" type="fixed"><parent>world</parent><child>a</child></joint>
    <joint name="j1" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="a">0 0 1</xyz></axis></joint>
    <joint name="j2" type="prismatic"><parent>a</parent><child>c</child><axis><xyz>1 0 0</xyz></axis></joint>
    <joint name="j3" type="ball"><pose>0 0.1 0 0 0 0</pose><parent>c</parent><child>b</child></joint>
    <joint name="j4" type="screw"><parent>a</parent><child>c</child><axis><xyz>1 0 0</xyz></axis>
      <thread_pitch>2</thread_pitch></joint>
    <model name="inner"><link name="d">{INERTIAL}</link></model>
    <joint name="j5" type="continuous"><parent>b</parent><child>inner::d</child><axis><xyz>0 0 1</xyz>
      <mimic joint="j1"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
  </model>
</sdf>
""",
)

MODELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "urdf": (".urdf", URDF),
    "mjcf": (".xml", MJCF),
    "sdf": (".sdf", SDF),
}

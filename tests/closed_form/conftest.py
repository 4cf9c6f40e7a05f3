"""A mechanism with everything that a link can carry."""

import pytest

import lagrangian as lg

SPRUNG = """
name = "sprung"
gravity = [0, -9.81, 0]
[parameters]
l = 0.5
k = 20.0
kt = 3.0
m = 2.0
[[body]]
name = "arm"
mass = "m"
center = ["l/2", 0, 0]
inertia = [0.01, 0.02, 0.03]
[[body]]
name = "bob"
mass = 1.5
center = [0, -0.2, 0.1]
inertia = [0.01, 0.02, 0.03]
[[body]]
name = "weight"
mass = 0.4
center = [0.05, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
parent = "ground"
child = "arm"
rotor = {inertia = 0.001, ratio = 10.0}
spring = {stiffness = "kt", rest = 0.3}
friction = {viscous = 0.1}
[[joint]]
name = "slide"
type = "prismatic"
parent = "arm"
child = "bob"
axis = "x"
xyz = ["l", 0, 0]
child_xyz = [0.02, -0.03, 0.05]
child_rpy = [0, 0, "pi/6"]
friction = { viscous = 0.2, coulomb = 0.7 }
[[joint]]
name = "glue"
type = "fixed"
parent = "bob"
child = "weight"
xyz = [0, 0.1, 0]
[[spring]]
name = "stay"
a = "ground"
a_point = [0.0, 1.0, 0.0]
b = "bob"
b_point = [0.0, 0.1, 0.0]
stiffness = "k"
rest = 0.4
damping = 1.5
"""


@pytest.fixture(scope="session")
def sprung(tmp_path_factory: pytest.TempPathFactory) -> lg.Mechanism:
    """An arm with a rotor, a spring and friction; a slide on it with a weight; a spring and damper between it and the ground."""
    path = tmp_path_factory.mktemp("sprung") / "sprung.toml"
    path.write_text(SPRUNG)
    return lg.load(path)

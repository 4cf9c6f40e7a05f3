# --- joint-type
from lagrangian.model import joints
from lagrangian.model.joints.compound import Compound
from lagrangian.model.joints.joint_type import JointLook, JointStep
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.joints.screw import AXIS


class Cylindrical(Compound):
    """The child turns about the axis and slides along it."""

    name = "cylindrical"
    coordinates = ("angle", "z")
    speeds = ("w", "v")
    slides = (False, True)
    units = ("rad", "m")
    entries = (AXIS,)
    look = JointLook.SCREW

    def check(self, joint):
        return

    def steps(self, joint):
        return (
            JointStep("angle", Revolute(), joint.axis),
            JointStep("z", Prismatic(), joint.axis),
        )


joints.register(Cylindrical())

# --- joint-type-used
import lagrangian as lg

drill = lg.loads("""
name = "drill"
[[body]]
name = "bit"
mass = 2.0
center = [0.1, 0, 0]
inertia = [0.01, 0.01, 0.02]
[[joint]]
name = "spindle"
type = "cylindrical"
child = "bit"
axis = "z"
""")
print(lg.derive(drill).M)
print(lg.derive(drill).prove().proved)
motion = lg.simulate(drill, 1.0, qd0={"spindle.w": 10.0})
print(motion.coordinate_names, motion.q[-1].round(4))

# --- changing-subspace
from lagrangian.model.joints.screw import Screw
from lagrangian.model.type_entries import EntryKind, TypeEntry


class Wobble(Screw):
    """A turn about the axis that lifts the child by height*(1 - cos(angle))."""

    name = "wobble"
    slides = (False,)
    units = ("rad",)
    entries = (AXIS, TypeEntry("height", EntryKind.NUMBER, None, "its height in metres"))
    look = JointLook.SCREW
    turns = True

    def type_constant(self, joint):
        return joint.height

    def advance(self, state):
        return state.type_constant * (1 - state.c)

    def advance_slope(self, state):
        return state.type_constant * state.s

    def advance_curvature(self, state):
        return state.type_constant * state.c


joints.register(Wobble())
bit = lg.Body("bit", 2.0, inertia=(0.01, 0.01, 0.02))
wobble = lg.Mechanism(
    "wobble",
    [bit],
    [lg.Joint("q", "wobble", "ground", "bit", height=lg.parameter("h", 0.01))],
)
print(lg.derive(wobble).M)
print(lg.derive(wobble).prove().proved)

# --- function-type
from lagrangian.model.expression import call, cos, sin, symbol
from lagrangian.model.joints.cam import Cam


class Crank(Cam):
    """The child slides as a piston does: the coordinate is the angle of its crank."""

    name = "crank"
    entries = (
        AXIS,
        TypeEntry("radius", EntryKind.NUMBER, None, "the radius of its crank in metres"),
        TypeEntry(
            "rod", EntryKind.NUMBER, None, "the length of its connecting rod in metres"
        ),
    )
    look = JointLook.SLIDE
    turns = False

    def steps(self, joint):
        r, l, angle = joint.radius, joint.rod, symbol("angle")
        advance = r * cos(angle) + call("sqrt", l * l - r * r * sin(angle) * sin(angle))
        return (JointStep("", Crank(advance), joint.axis),)

    def table_notes(self, joint):
        return [f"radius {joint.radius} m", f"rod {joint.rod} m"]


joints.register(Crank())
joint = lg.Joint(
    "q", "crank", "ground", "bit", radius=0.05, rod=0.2, rotor={"inertia": 0.01}
)
print(lg.derive(lg.Mechanism("engine", [bit], [joint])).prove().proved)

# --- loop-type
from lagrangian.model import loops
from lagrangian.model.loops.loop_type import AxisLoop, LoopLook, origin_on_axis


class Slot(AxisLoop):
    """The origin of frame b stays on the axis of frame a, like a pin in a slot."""

    name = "slot"
    look = LoopLook.BALL
    constrained_freedoms = 2
    holds_point = False

    def equations(self, loop, a, b):
        return origin_on_axis(loop, a, b)


loops.register(Slot())

# --- loop-type-used
import numpy as np

crank = lg.Body("crank", 1.0, (0.1, 0, 0), (0.0, 0.01, 0.01))
yoke = lg.Body("yoke", 3.0)
scotch = lg.Mechanism(
    "scotch_yoke",
    [crank, yoke],
    [
        lg.Joint("theta", "revolute", "ground", "crank", axis="z"),
        lg.Joint("x", "prismatic", "ground", "yoke", axis="x", actuated=False),
    ],
    [lg.LoopJoint("pin", "slot", "yoke", "crank", b_placement=(0.2, 0, 0), axis="y")],
    gravity=(0, 0, 0),
)
turning = lg.simulate(scotch, 1.0, qd0={"theta": 6.0})
print(np.abs(turning.q[:, 1] - 0.2 * np.cos(turning.q[:, 0])).max() < 1e-9)

# --- loop-type-alone
from lagrangian.errors import MechanismError
from lagrangian.model import vector
from lagrangian.model.loops.loop_type import LoopType, origin_difference


class Ring(LoopType):
    """The origin of frame b stays at a distance `radius` from the axis of frame a."""

    name = "ring"
    entries = (
        AXIS,
        TypeEntry("radius", EntryKind.NUMBER, None, "the radius of its ring, in metres"),
    )
    look = LoopLook.POINT
    holds_point = False

    def check(self, loop):
        if float(loop.radius) <= 0:
            problem = f"is {float(loop.radius):g} m"
            raise MechanismError(problem, argument="radius", remedy="it must be positive")

    def equation_count(self, loop):
        return 1

    def equations(self, loop, a, b):
        apart, radius = origin_difference(a, b), a.number(loop.radius)
        along = vector.dot(apart, a.direction(loop.axis))
        return [("radius", vector.dot(apart, apart) - along * along - radius * radius)]


loops.register(Ring())
arm = lg.library("two_r")
ring = lg.LoopJoint("rim", "ring", "ground", "link2", b_placement=(1, 0, 0), radius=1.2)
swinging = lg.simulate(arm.replace(loops=[ring]), 1.0, q0={"theta1": 0.4}, torque=None)
print(np.abs(np.cos(swinging.q[:, 1]) - (1.2**2 - 2) / 2).max() < 1e-9)  # law of cosines
try:
    lg.LoopJoint("rim", "ring", "ground", "link2", radius=-1)
except MechanismError as error:
    print(error)

# --- integrator
from lagrangian.motion.integrators.explicit import ExplicitMethod
from lagrangian.motion.settings import register as register_method
from lagrangian.motion.tableaus.tableau import Explicit

# Bogacki and Shampine, A 3(2) pair of Runge-Kutta formulas, 1989; between the steps a
# cubic through both ends and their slopes
BS3 = Explicit(
    name="BS3",
    order=3,
    c=(0.0, 1 / 2, 3 / 4),
    a=((), (1 / 2,), (0.0, 3 / 4)),
    b=(2 / 9, 1 / 3, 4 / 9),
    errors=((-5 / 72, 1 / 12, 1 / 9, -1 / 8),),
    error_order=2,
    extra_c=(),
    extra_a=(),
    dense=(
        (1.0, -4 / 3, 5 / 9),
        (0.0, 1.0, -2 / 3),
        (0.0, 4 / 3, -8 / 9),
        (0.0, -1.0, 1.0),
    ),
)
register_method("bs3", lambda: ExplicitMethod(BS3))

# --- integrator-used
two_r = lg.library("two_r")
start = {"q0": [0.3, 0.4], "qd0": [0.0, 0.0]}
fine = lg.simulate(two_r, 1.0, rtol=1e-12, **start)
for rtol in (1e-4, 1e-7):
    coarse = lg.simulate(two_r, 1.0, method="bs3", rtol=rtol, atol=rtol, **start)
    print(np.abs(coarse.q[-1] - fine.q[-1]).max() < 100 * rtol)

# --- command

import typer

from lagrangian.cli.command import register
from lagrangian.cli.main import CHECK, app
from lagrangian.cli.mechanism_options import MechanismArgument


def mass(description: MechanismArgument) -> None:
    """Show the total mass of a mechanism."""
    mechanism = description.load()
    typer.echo(f"{sum(float(body.mass) for body in mechanism.bodies):g} kg")


register(app, mass, CHECK, "lagrangian mass two_r")

# --- command-used
from typer.testing import CliRunner

print(CliRunner().invoke(app, ["mass", "two_r"]).stdout)

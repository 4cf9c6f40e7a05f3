"""Random mechanisms as TOML texts: every type of joint, loop, constraint, and everything that acts.

A mechanism is `odd` to a degree between 0 and 1: the chance that a number, a name or an entry is not a sensible one. One of
degree 0 loads nearly always: its loops close at the neutral configuration, since no frame is turned there.
"""

from __future__ import annotations

import math
from random import Random

from lagrangian.model.joints import TYPES as JOINTS
from lagrangian.model.loops import TYPES as LOOPS
from tests.fuzz.numbers import NO_NUMBERS, ODD_EXPRESSIONS, ODD_NUMBERS, ODD_VALUES, expression

ENDINGS = {
    "universal": (".1", ".2"),
    "gimbal": (".1", ".2", ".3"),
    "planar": (".x", ".y", ".angle"),
    "ball": (".w", ".x", ".y", ".z"),
    "free": (".w", ".x", ".y", ".z", ".px", ".py", ".pz"),
    "fixed": (),
}
SPEEDS = {**ENDINGS, "planar": (".vx", ".vy", ".w"), "ball": (".wx", ".wy", ".wz")}
SPEEDS["free"] = (*SPEEDS["ball"], ".vx", ".vy", ".vz")
SHAPES = (
    *('shape = "box", size = [{}, {}, {}]', 'shape = "cylinder", radius = {}, length = {}', 'shape = "sphere", radius = {}'),
    *('shape = "capsule", radius = {}, length = {}', 'shape = "ellipsoid", radii = [{}, {}, {}]', 'shape = "disc", radius = {}'),
    *('shape = "plate", size = [{}, {}, {}]', 'shape = "rod", start = [{}, {}, {}], end = [0, 0, 0]', 'shape = "point"'),
    'shape = "tube", outer = {}, inner = 0.01, length = {}',
)


class Grammar:
    """One mechanism, written section by section."""

    def __init__(self, rng: Random, odd: float) -> None:
        self.rng, self.odd = rng, odd
        self.parameters = [f"p{i}" for i in range(rng.choice([0, 0, 1, 2, 4]))]
        count = rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 6]) if odd < 1 else rng.choice([0, 1, 2, 3])
        self.straight = rng.random() < 0.5  # no frame is turned, so that loops can close
        self.bodies = [f"b{i}" for i in range(count)]
        self.places = {"ground": (0.0, 0.0, 0.0)}  # where the frames of bodies are in the neutral configuration
        self.q: list[str] = []
        self.qd: list[str] = []
        self.joints: list[str] = []

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # -- values ----------------------------------------------------------------------------------------------------------

    def number(self, low: float = -1.0, high: float = 1.0) -> str:
        """A number between bounds, or an expression of parameters, or an odd one."""
        if self.chance(self.odd * 0.06):
            how = self.rng.random()
            if how < 0.7:
                return self.rng.choice(ODD_NUMBERS)
            if how < 0.85:
                return f'"{self.rng.choice(ODD_EXPRESSIONS)}"'
            return self.rng.choice(ODD_VALUES + NO_NUMBERS)
        x = f"{self.rng.uniform(low, high):.{self.rng.choice([1, 3, 6, 17])}g}"
        if self.parameters and self.chance(0.2):
            return f'"{x} + 0*{self.rng.choice(self.parameters)}"' if low >= 0 else f'"{x}*{self.rng.choice(self.parameters)}"'
        return x

    def vector(self, size: float = 0.5) -> str:
        if self.chance(0.25):
            return self.rng.choice(["[0, 0, 0.1]", "[0.3, 0, 0]", "[0, 0.2, 0]"])
        return f"[{', '.join(self.number(-size, size) for _ in range(3 if not self.chance(0.02 * self.odd) else 2))}]"

    def axis(self) -> str:
        return f'"{self.rng.choice(["x", "y", "z", "-x", "-y", "-z"])}"' if self.chance(0.7) else self.vector(1.0)

    def body(self) -> str:
        return self.name([*self.bodies, "ground"])

    def name(self, known: list[str]) -> str:
        if not known or self.chance(0.03 * self.odd):
            return self.rng.choice(
                ['"nobody"', '""', '"b0 "', "3", '"🤖"', '"t"', '"pi"', '"sin"', '"x\\ny"', '"' + "n" * 300 + '"']
            )
        return f'"{self.rng.choice(known)}"'

    def orientation_entries(self, prefix: str = "") -> list[str]:
        """How a frame is turned: not at all, by angles, by a quaternion or by a matrix."""
        if self.straight or self.chance(0.5):
            return []
        return [
            self.rng.choice(
                [
                    f"{prefix}rpy = {self.vector(3.0)}",
                    f'{prefix}rpy = [0, "pi/2", "deg({self.rng.choice([30, 90, 180])})"]',
                    f"{prefix}quaternion = [{self.number(0.5, 1) if self.chance(self.odd) else 0.6}, 0.8, 0, 0]",
                    f"{prefix}rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
                ]
            )
        ]

    def of_state(self, names: list[str], depth: int = 3) -> str:
        return f'"{expression(self.rng, [*names, *self.parameters], depth, sound=not self.chance(self.odd * 0.5))}"'

    # -- sections --------------------------------------------------------------------------------------------------------

    def sections(self) -> list[str]:
        """The whole mechanism, a text for every section."""
        results = ["\n".join(['name = "fuzzed"', *(["gravity = " + self.vector(10.0)] if self.chance(0.4) else [])])]
        if self.parameters:
            values = [f"p0 = {self.rng.uniform(0.2, 2)}" if not self.chance(0.1 * self.odd) else f"p0 = {self.number()}"]
            values += [f'{name} = "{1 + i / 4}*p0"' for i, name in enumerate(self.parameters[1:])]
            results.append("\n".join(["[parameters]", *values]))
        if self.chance(0.12):
            results += self.dh()
        for name in self.bodies:
            results += [self.body_section(name), self.joint_section(name)]
        several = self.rng.choice([0, 0, 0, 1, 1, 2])
        makers = (self.loop, self.constraint, self.spring, self.wall, self.frame, self.event)
        weights = (3, 2, 2, 1, 1, 2)
        results += [maker(i) for i, maker in enumerate(self.rng.choices(makers, weights, k=several))]
        return results + ([self.initial()] if self.chance(0.5) else []) + ([self.poses()] if self.q and self.chance(0.2) else [])

    def dh(self) -> list[str]:
        rows = ["[dh]\n" + f'convention = "{self.rng.choice(["standard", "modified"])}"']
        for i in range(self.rng.choice([1, 2, 3])):
            entries = [f"{key} = {self.number()}" for key in ("a", "d", "alpha", "theta") if self.chance(0.5)]
            entries += [f'joint = "{self.rng.choice("RP")}"', *self.mass(), *(self.drive() if self.chance(0.5) else [])]
            rows.append("\n".join(["[[dh.row]]", *entries]))
            self.places[f"link{i + 1}"] = (0.0, 0.0, 0.0)
            self.q.append(f"q{i + 1}")
            self.qd.append(f"q{i + 1}")
        return rows

    def mass(self) -> list[str]:
        if self.chance(0.08):
            return [] if self.chance(0.5) else [f"mass = {self.number(0.1, 3)}"]
        results = [f"mass = {self.number(0.1, 3)}", f"center = {self.vector(0.3)}"]
        inertia = [self.number(0.02, 0.03) for _ in range(3)]
        results.append(f"{'inertia_at_origin' if self.chance(0.1 * self.odd) else 'inertia'} = [{', '.join(inertia)}]")
        return results + (["effective = true"] if self.chance(0.05) else [])

    def body_section(self, name: str) -> str:
        lines = ["[[body]]", f'name = "{name}"']
        if self.chance(0.2):
            shape = self.rng.choice(SHAPES)
            sizes = [self.number(0.05, 0.3) for _ in range(shape.count("{}"))]
            amount = "mass" if self.chance(0.7) or "rod" in shape or "point" in shape or "disc" in shape else "density"
            return "\n".join([*lines, f"shapes = [{{ {shape.format(*sizes)}, {amount} = {self.number(0.5, 3)} }}]"])
        return "\n".join([*lines, *self.mass()])

    def joint_section(self, child: str) -> str:
        kind = self.rng.choice([*JOINTS, "revolute", "revolute", "prismatic"])
        name, before = f"j{child[1:]}", [b for b in self.bodies if b in self.places]
        parent = self.rng.choice([*before[-1:], *self.places])
        at = [round(self.rng.uniform(-0.5, 0.5), 3) for _ in range(3)]
        self.places[child] = tuple(a + b for a, b in zip(self.places[parent], at, strict=True))
        lines = ["[[joint]]", f'name = "{name}"', f'type = "{kind}"', f'child = "{child}"', f'parent = "{parent}"', f"xyz = {at}"]
        if self.chance(0.05 * self.odd):
            lines[4:6] = [f"parent = {self.body()}", f"xyz = {self.vector()}"]
        lines += self.orientation_entries() + (self.orientation_entries("child_") if self.chance(0.3) else [])
        if kind in ("revolute", "continuous", "prismatic", "helical", "cam", "planar"):
            lines.append(f"axis = {self.axis()}")
        elif kind in ("universal", "gimbal"):
            lines.append('axis = "z"\naxis2 = "y"' + ('\naxis3 = "x"' if kind == "gimbal" else ""))
        if kind == "helical":
            lines.append(f"pitch = {self.number()}")
        if kind == "cam":
            lines.append(
                f'advance = "{self.rng.choice(["0.1*sin(angle)", "0.05*angle^2", "0.2*(1 - cos(angle))", "0.02*angle"])}"'
            )
        self.joints.append(name)
        self.q += [name + end for end in ENDINGS.get(kind, ("",))]
        self.qd += [name + end for end in SPEEDS.get(kind, ("",))]
        acts = self.drive(sliding=kind == "planar") if len(ENDINGS.get(kind, ("",))) in (1, 2) or self.chance(0.1) else []
        return "\n".join([*lines, *acts, *(["actuated = false"] if self.chance(0.2) else [])])

    def drive(self, sliding: bool = False) -> list[str]:
        """Friction, limits, a rotor, a spring of a joint."""
        results = []
        if self.chance(0.3):
            coulomb = self.rng.choice(["", f", coulomb = {self.number(0, 1)}", ", coulomb = 0.5, static = 0.8"])
            results.append(f"friction = {{ viscous = {self.number(0, 2)}{coulomb} }}")
        if self.chance(0.3) and not sliding:
            ends = [f"lower = {self.number(-2, -0.1)}", f"upper = {self.number(0.1, 2)}"]
            ends += [f"effort = {self.number(1, 50)}"] if self.chance(0.3) else []
            results.append(f"limits = {{ {', '.join(ends)} }}")
        if self.chance(0.15):
            results.append(f"rotor = {{ inertia = {self.number(0, 1e-4)}, ratio = {self.number(1, 100)} }}")
        if self.chance(0.2):
            results.append(f"spring = {{ stiffness = {self.number(0, 50)}, rest = {self.number()} }}")
        return results

    def loop(self, i: int) -> str:
        kind, a = self.rng.choice(list(LOOPS)), self.rng.choice([*self.bodies, "ground"])
        b = self.rng.choice([x for x in self.places if x != a] or ["ground"])
        on_a = [round(self.rng.uniform(-0.4, 0.4), 3) for _ in range(3)]
        there = tuple(x + y for x, y in zip(self.places.get(a, (0, 0, 0)), on_a, strict=True))
        on_b = [x - y for x, y in zip(there, self.places[b], strict=True)]
        lines = ["[[loop]]", f'name = "loop{i}"', f'type = "{kind}"', f'a = "{a}"', f'b = "{b}"', f"a_xyz = {on_a}"]
        if kind == "distance":
            length = self.rng.uniform(0.2, 1)
            on_b[0] += length
            lines.append(f"length = {length!r}" if not self.chance(0.2 * self.odd) else f"length = {self.number(0, 1)}")
        lines.append(f"b_xyz = {on_b}" if not self.chance(0.1 * self.odd) else f"b_xyz = {self.vector()}")
        if kind in ("universal", "cylindrical", "revolute", "prismatic", "planar") and self.chance(0.7):
            lines.append('axis = "x"')
        if kind == "point" and self.chance(0.5):
            lines.append('directions = ["x", "y"]')
        return "\n".join(lines + (self.orientation_entries("a_") if self.chance(0.1) else []))

    def constraint(self, i: int) -> str:
        kind = self.rng.choice(["pfaffian", "equation", "equation", "rolling", "knife_edge"])
        lines = ["[[constraint]]", f'name = "c{i}"', f'type = "{kind}"']
        if kind == "pfaffian":
            names = self.rng.sample(self.qd, min(len(self.qd), 2)) or ["nothing"]
            known = [*self.q, "t"]
            lines.append(f"coefficients = {{ {', '.join(f'{n} = {self.of_state(known, 2)}' for n in names)} }}")
            lines += [f'phi = "{self.rng.choice(["0", "-0.3*sin(t)", "0.1*t"])}"'] if self.chance(0.4) else []
        elif kind == "equation":
            left = self.rng.choice(self.q or ["nothing"])
            right = self.of_state([*self.q, "t"] if self.chance(0.4) else [q for q in self.q if q != left], 2).strip('"')
            how = self.rng.choice([f"{left} = 0.3*sin(2*t)", f"{left} = 0.2*({right}) - 0.1", f"{left} - {right}", f"{right}"])
            lines.append(f'equation = "{how}"' + ("\nunilateral = true" if self.chance(0.1) else ""))
        elif kind == "rolling":
            lines += [f"body = {self.body()}", f"radius = {self.number(0.1, 0.5)}"]
            lines += [f"axis = {self.axis()}"] if self.chance(0.5) else []
        else:
            lines += [f"body = {self.body()}", f"direction = {self.axis()}", f"point = {self.vector()}"]
        return "\n".join(lines)

    def spring(self, i: int) -> str:
        if self.chance(0.1):
            return f'[[gravity_compensation]]\nname = "s{i}"\nbody = {self.name(self.bodies)}\nfactor = {self.number(0, 1)}'
        points = [f"a = {self.body()}", f"b = {self.body()}", f"a_point = {self.vector()}", f"b_point = {self.vector()}"]
        forces = [f"stiffness = {self.number(0, 100)}", f"rest = {self.number(0, 0.5)}", f"damping = {self.number(0, 2)}"]
        more = [f"slack = {self.number(0, 0.3)}"] if self.chance(0.15) else []
        if self.q and self.chance(0.2):
            points = [f"length = {self.of_state(self.q, 2)}"]
        elif self.chance(0.15):
            more.append(f"via = [{{ body = {self.body()}, point = {self.vector()} }}]")
        return "\n".join(["[[spring]]", f'name = "s{i}"', *points, *forces[: self.rng.choice([1, 2, 3])], *more])

    def wall(self, i: int) -> str:
        at = [f"body = {self.body()}", f"point = {self.vector()}", f"position = {self.vector()}", f"normal = {self.axis()}"]
        return "\n".join(
            ["[[wall]]", f'name = "w{i}"', *at, f"stiffness = {self.number(10, 1e5)}", f"damping = {self.number(0, 1e3)}"]
        )

    def frame(self, i: int) -> str:
        return "\n".join(
            ["[[frame]]", f'name = "f{i}"', f"body = {self.body()}", f"xyz = {self.vector()}", *self.orientation_entries()]
        )

    def event(self, i: int) -> str:
        names = [*self.q, *(f"qd_{s}" for s in self.qd), "t"]
        when = self.of_state(names) if self.chance(0.7) else self.rng.choice(['"t - 0.05"', '"dead centre"', '"sin(200*t)"'])
        lines = ["[[event]]", f'name = "e{i}"', f"when = {when}"]
        lines += [f'direction = "{self.rng.choice(["rising", "falling", "both"])}"'] if self.chance(0.5) else []
        action = self.rng.choice(["record", "stop", "lock", "unlock", "set_torque"])
        lines.append(f'action = "{action}"')
        if action in ("lock", "unlock"):
            lines.append(f"joints = [{self.name(self.joints)}]")
        if action == "set_torque" and self.qd:
            lines.append(f"torque = {{ {self.rng.choice(self.qd)} = {self.number(-5, 5)} }}")
        return "\n".join(lines)

    def initial(self) -> str:
        lines = ["[initial]"]
        if self.q and self.chance(0.5):
            lines.append(f"q = {{ {self.rng.choice(self.q)} = {self.number(-0.5, 0.5)} }}")
        if self.qd and self.chance(0.6):
            lines.append(f"qd = {{ {self.rng.choice(self.qd)} = {self.number(-3, 3)} }}")
        if self.qd and self.chance(0.5):
            of = self.of_state([*self.q, *(f"qd_{s}" for s in self.qd), "t"])
            lines.append(f"torque = {{ {self.rng.choice(self.qd)} = {of} }}")
        return "\n".join([*lines, *([f"t_span = [0, {self.number(0.1, 1)}]"] if self.chance(0.3) else [])])

    def poses(self) -> str:
        return f"[pose]\nhome = {{ {self.rng.choice(self.q)} = {self.number(-math.pi, math.pi)} }}"


def mechanism(rng: Random, odd: float) -> str:
    """A random mechanism; an odd one may also have a section twice, or lack one, or have them in another order."""
    sections = Grammar(rng, odd).sections()
    if rng.random() < 0.2 * odd:
        head, rest = sections[:1], sections[1:]
        how = rng.randrange(3)
        if how == 0:
            rng.shuffle(rest)
        elif rest:
            where = rng.randrange(len(rest))
            rest[where : where + 1] = [] if how == 1 else [rest[where]] * 2
        sections = head + rest
    return "\n\n".join(sections) + "\n"

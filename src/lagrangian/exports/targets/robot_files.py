"""Robot files: the mechanism itself, for simulators and other tools. `lagrangian.save` writes the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lagrangian.description.toml.writer import dumps
from lagrangian.exports.languages.names import spelled
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.model.mechanism import Mechanism
from lagrangian.saving import written


class RobotFile(Target):
    """A format that a mechanism is written in; what it cannot hold is told in the notes."""

    of_functions = False

    def __init__(self, name: str, suffix: str, about: str, *others: str) -> None:
        self.name, self.single, self.about, self._others = name, suffix, about, others

    @property
    def suffixes(self) -> tuple[str, ...]:
        return (self.single, *self._others)

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        stem = spelled(mechanism.name) or "mechanism"
        made = written(mechanism, self.name, **self.given(wish))
        files = {f"{stem}{self.single}": made.text, **{f"{stem}{suffix}": text for suffix, text in made.beside.items()}}
        made.warn(mechanism.name)
        return Product(files, notes=tuple(note for note in made.notes if note not in made.warnings))

    def given(self, wish: Wish) -> dict[str, Any]:
        return dict(wish.options)


class URDFFile(RobotFile):
    options: ClassVar[Mapping[str, Option]] = {
        "loops": Option(
            "where loops are written: in the file, as in URDF+, or in a YAML file beside it", "urdf", ("urdf", "yaml")
        )
    }

    def given(self, wish: Wish) -> dict[str, Any]:
        return {"loops": "yaml"} if self.option(wish, "loops") == "yaml" else {}


class TOMLFile(RobotFile):
    """Our own format, which holds everything."""

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        return Product({f"{spelled(mechanism.name) or 'mechanism'}.toml": dumps(mechanism)})


URDF = URDFFile("urdf", ".urdf", "a URDF file, for ROS, Pinocchio and others")
MJCF = RobotFile("mjcf", ".xml", "an MJCF file, for MuJoCo", ".mjcf")
SDF = RobotFile("sdf", ".sdf", "an SDF file, for Gazebo and Drake")
TOML = TOMLFile("toml", ".toml", "a TOML file of this package, with everything")

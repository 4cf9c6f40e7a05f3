"""Robot files: the mechanism itself, for simulators and other tools. `lagrangian.save` writes the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lagrangian.description.toml.writer import to_toml
from lagrangian.exports.source.identifiers import transliterate
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget, TargetOption
from lagrangian.model.mechanism import Mechanism
from lagrangian.saving import convert


class RobotFileTarget(ExportTarget):
    """A file format that a mechanism is written in; the notes list what the format cannot hold."""

    exports_functions = False

    def __init__(self, name: str, suffix: str, about: str, *other_suffixes: str) -> None:
        self.name, self.file_suffix, self.about, self._other_suffixes = name, suffix, about, other_suffixes

    @property
    def suffixes(self) -> tuple[str, ...]:
        return (self.file_suffix, *self._other_suffixes)

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        stem = transliterate(mechanism.name) or "mechanism"
        conversion = convert(mechanism, self.name, **self.writer_options(request))
        files = {
            f"{stem}{self.file_suffix}": conversion.text,
            **{f"{stem}{suffix}": text for suffix, text in conversion.extra_files.items()},
        }
        conversion.warn(mechanism.name)
        return ExportedFiles(files, notes=tuple(note for note in conversion.notes if note not in conversion.warnings))

    def writer_options(self, request: ExportRequest) -> dict[str, Any]:
        return dict(request.options)


class URDFTarget(RobotFileTarget):
    options: ClassVar[Mapping[str, TargetOption]] = {
        "loops": TargetOption(
            "where loops are written: in the file, as in URDF+, or in a YAML file beside it", "urdf", ("urdf", "yaml")
        )
    }

    def writer_options(self, request: ExportRequest) -> dict[str, Any]:
        return {"loops": "yaml"} if self.option(request, "loops") == "yaml" else {}


class TOMLTarget(RobotFileTarget):
    """Our own format, which holds everything."""

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        return ExportedFiles({f"{transliterate(mechanism.name) or 'mechanism'}.toml": to_toml(mechanism)})


URDF = URDFTarget("urdf", ".urdf", "a URDF file, for ROS, Pinocchio and others")
MJCF = RobotFileTarget("mjcf", ".xml", "an MJCF file, for MuJoCo", ".mjcf")
SDF = RobotFileTarget("sdf", ".sdf", "an SDF file, for Gazebo and Drake")
TOML = TOMLTarget("toml", ".toml", "a TOML file of this package, with everything")

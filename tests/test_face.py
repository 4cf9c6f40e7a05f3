"""The public interface as a whole: keywords, spelling, mechanisms by name, errors with fields."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError, MechanismError, MechanismPart, UnknownMechanismError, format_value, warn
from lagrangian.public import public


@pytest.mark.parametrize(
    ("call", "where", "meant"),
    [
        (lambda: lg.simulate("pendulum", 1, rtoll=1e-9), "simulate", "rtol"),
        (lambda: lg.derive("pendulum", symbol="all"), "derive", "symbols"),
        (lambda: lg.library("pendulum", parametrs={}), "library", "parameters"),
        (lambda: lg.Body("b", mas=1.0), "Body", "mass"),
        (lambda: lg.DHParameters(alfa=1.0), "DHParameters", "alpha"),
        (lambda: lg.shapes.box((1, 1, 1), densty=1000), "box", "density"),
        (lambda: lg.paths.joint_line([0.0], [1.0], durations=1), "joint_line", "duration"),
        (lambda: lg.control.ComputedTorque("pendulum", lg.paths.joint_line([0.0], [1.0], 1), kpp=1), "ComputedTorque", "kp"),
    ],
)
def test_a_misspelt_keyword_is_reported_with_the_one_that_is_meant(call: Callable[[], Any], where: str, meant: str) -> None:
    with pytest.raises(lg.ArgumentError, match=f"Did you mean '{meant}'") as caught:
        call()
    assert caught.value.where == (where,)


@pytest.mark.parametrize(
    ("call", "unsuitable"),
    [
        (lambda: lg.paths.formula(given=1), "operands"),
        (lambda: lg.derive("pendulum").check(wish=1), "request"),
        (lambda: lg.derive("pendulum").simulate(1, stabilization=1), "stabilisation"),
    ],
)
def test_an_old_argument_of_another_function_of_the_same_name_is_not_suggested(call: Callable[[], Any], unsuitable: str) -> None:
    with pytest.raises(lg.ArgumentError, match="there is no argument") as caught:
        call()
    assert unsuitable not in str(caught.value)


@pytest.mark.parametrize("meant", ["axis", "actuated", "child_placement"])
def test_a_misspelt_entry_of_a_joint(meant: str) -> None:
    with pytest.raises(lg.LagrangianError, match=f"Did you mean '{meant}'"):
        lg.Joint("a", "revolute", "ground", "b", **{f"{meant}s": 1})


def test_what_is_public_keeps_its_signature_and_can_be_pickled() -> None:
    assert list(inspect.signature(lg.simulate).parameters)[:3] == ["mechanism", "t_span", "q0"]
    assert list(inspect.signature(lg.Body).parameters)[:2] == ["name", "mass"]
    assert pickle.loads(pickle.dumps(lg.simulate)) is lg.simulate
    assert pickle.loads(pickle.dumps(lg.shapes.box)) is lg.shapes.box


def test_functions_and_classes_have_an_american_alias() -> None:
    assert lg.linearize is lg.linearise
    assert lg.read_catalog is lg.read_catalogue
    assert lg.DeadCenter is lg.DeadCentre
    for american, british in lg._AMERICAN_SPELLINGS.items():
        assert getattr(lg, american) is getattr(lg, british)
        assert {american, british} <= set(lg.__all__)


def test_an_alias_is_the_same_object_whichever_is_used_first() -> None:
    program = "import lagrangian as lg\nfor british in lg._AMERICAN_SPELLINGS.values(): getattr(lg, british)\n"
    program += "print([x for x, y in lg._AMERICAN_SPELLINGS.items() if getattr(lg, x) is not getattr(lg, y)])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_no_module_hides_a_public_function() -> None:
    program = "import importlib, pkgutil, lagrangian as lg\n"
    program += "before = {name: getattr(lg, name) for name in lg.__all__}\n"
    program += "for m in pkgutil.walk_packages(lg.__path__, 'lagrangian.'):\n"
    program += "    m.name.endswith('__main__') or importlib.import_module(m.name)\n"
    program += "print([name for name, value in before.items() if getattr(lg, name) is not value])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_keyword_has_one_spelling_and_the_other_is_an_error_that_names_it() -> None:
    assert lg.Body("b", 1.0, center=(0.1, 0, 0)).center == (0.1, 0, 0)
    with pytest.raises(lg.ArgumentError, match="there is no argument 'centre'\\. Did you mean 'center'"):
        lg.Body("b", 1.0, centre=(0.1, 0, 0))
    assert lg.paths.circle(center=(0, 0), radius=1.0, duration=1.0).duration == 1.0
    with pytest.raises(lg.ArgumentError, match="there is no argument 'centre'\\. Did you mean 'center'"):
        lg.paths.circle(centre=(0, 0), radius=1.0, duration=1.0)
    with pytest.raises(lg.ArgumentError, match="Did you mean 'stabilisation'"):
        lg.simulate("pendulum", 0.1, stabilization="projection")


def test_an_unknown_name_suggests_the_nearest_or_where_it_stands() -> None:
    with pytest.raises(AttributeError, match=r"called 'box'; it is lagrangian\.shapes\.box"):
        _ = lg.box
    with pytest.raises(AttributeError, match=r"called 'normal'; it is lagrangian\.distributions\.normal"):
        _ = lg.normal
    with pytest.raises(AttributeError, match="Did you mean 'simulate'"):
        _ = lg.simulat
    for module, name, similar in (("paths", "cicle", "circle"), ("goals", "integrals", "integral"), ("shapes", "boxx", "box")):
        with pytest.raises(AttributeError, match=f"Did you mean '{similar}'"):
            getattr(getattr(lg, module), name)
    with pytest.raises(AttributeError, match="there is no attribute of 'lagrangian' called 'page_motion'"):
        lg.__getattr__("page_motion")  # a package that is not public


def test_names_of_public_modules_are_known_before_the_modules_are_imported() -> None:
    for module, names in lg._MODULE_NAMES.items():
        assert set(names.split()) == set(getattr(lg, module).__all__) - set(lg.__all__)
    program = "import sys, lagrangian as lg; hasattr(lg, 'box'); hasattr(lg, 'zzz')\n"
    program += "print(sorted({'numpy', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_no_package_has_the_name_of_a_public_function() -> None:
    """Importing such a package would hide the function."""
    package = Path(lg.__file__).parent
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    public_functions = {name for name in lg.__all__ if inspect.isroutine(getattr(lg, name))}
    assert not modules & public_functions


def test_mechanisms_by_file_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pendulum = lg.library("pendulum")
    lg.save("pendulum", "mine.toml")
    by_name, by_file = lg.compile("pendulum"), lg.compile(Path("mine.toml"))
    np.testing.assert_array_equal(by_name.mass_matrix([0.3]), lg.compile(pendulum).mass_matrix([0.3]))
    np.testing.assert_array_equal(by_name.mass_matrix([0.3]), by_file.mass_matrix([0.3]))
    assert lg.dumps("mine.toml") == lg.dumps(pendulum)
    assert lg.mobility("mine.toml").degrees == 1
    assert str(lg.derive("pendulum")) == str(lg.derive(pendulum))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("pendulm", "'pendulm' is neither a file nor a mechanism of the library. Did you mean 'pendulum'"),
        ("nothing.toml", "nothing.toml: there is no such file"),
        ("", "no mechanism is given"),
        (3, "not int"),
        ("[[body]]\nname = 'a'", "loads"),
    ],
)
def test_values_that_name_no_mechanism_are_refused(value: Any, message: str) -> None:
    with pytest.raises(lg.ArgumentError) as caught:
        lg.compile(value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lg.derive("pendulum", progress=3), "derive: progress is 3; a function or None is needed"),
        (lambda: lg.loads("x = 1", format=np.zeros(2)), r"loads: format is \[0.0, 0.0\]; a string is needed"),
        (lambda: lg.library(np.zeros(2)), "library: name is .* a string or None is needed"),
    ],
)
def test_an_argument_that_is_not_what_it_is_annotated_as_is_reported_where_the_call_fails(
    call: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message) as raised:
        call()
    assert raised.value.__cause__ is not None  # what Python said of it is not lost


def test_an_exception_of_a_call_with_sound_arguments_is_no_error_of_an_argument() -> None:
    def fail(text: str) -> None:
        raise ValueError("a defect of ours")

    with pytest.raises(ValueError, match="a defect of ours") as raised:
        public(fail)("sound")
    assert not isinstance(raised.value, lg.LagrangianError)


def test_messages_end_and_hold_no_commands_to_a_terminal() -> None:
    text = str(MechanismError("x" * 100_000, remedy="it is shorter"))
    assert (len(text), text[:3], text[-3:], text.count(" ... ")) == (4000, "xxx", "ter", 1)
    assert str(MechanismError("a\x1b[31mb\x00\u202e\nc")) == "a\\x1b[31mb\\x00\\u202e\nc"
    itself: list[Any] = []
    itself.append(itself)
    assert "..." in str(ArgumentError(f"is {format_value(itself)}"))


def test_errors_carry_fields() -> None:
    with pytest.raises(lg.ArgumentError) as caught:
        lg.simulate("pendulum", (1, 0))
    error = caught.value
    assert error.argument == "t_span"
    assert str(error).startswith("t_span runs from 1 to 0 s")
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(twin), twin.argument) == (str(error), "t_span")
    further = error.with_places("arm.toml", "[initial]")
    assert type(further) is lg.ArgumentError
    assert str(further) == f"arm.toml: [initial]: {error}"


def test_errors_of_parts_name_the_part_and_the_entry_as_data(tmp_path: Path) -> None:
    """A reader puts its own place in front, and says no place twice; the model does not know of files."""
    with pytest.raises(lg.MechanismError) as caught:
        lg.Body("bob", mass=-1.0)
    error = caught.value
    assert (error.where, error.argument, error.remedy) == ((MechanismPart("body", "bob"),), "mass", "it cannot be negative")
    assert str(error) == "body 'bob': mass is -1 kg; it cannot be negative"
    inside = MechanismPart("body", "bob", "[[body]] 2 'bob'")
    assert str(error.with_places("arm.toml", inside)) == "arm.toml: [[body]] 2 'bob': mass is -1 kg; it cannot be negative"
    read = error.with_places("arm.toml", inside)
    assert str(read.with_places("arm.toml", inside)) == str(read)
    assert str(error.with_places("arm.toml")) == f"arm.toml: {error}"
    # a name that looks like a place stays what it is
    file = tmp_path / "a.toml"
    file.write_text("""name = "x"
[[body]]
name = "body 'b': joint"
mass = -1
[[joint]]
name = "j"
type = "revolute"
child = "body 'b': joint"
""")
    with pytest.raises(lg.MechanismError) as caught:
        lg.load(file)
    assert str(caught.value) == f"""{file}: [[body]] 1 "body 'b': joint": mass is -1 kg; it cannot be negative"""
    assert caught.value.argument == "mass"


def test_an_unknown_mechanism_comes_with_what_may_be_meant() -> None:
    with pytest.raises(UnknownMechanismError) as caught:
        lg.simulate("two_rr")
    assert "two_r" in caught.value.similar_names
    with pytest.raises(UnknownMechanismError, match="lists the mechanisms") as caught:
        lg.simulate("qqqqqqqq")
    assert caught.value.similar_names == ()
    assert str(lg.UnreachableError("out of reach", where="arm", remedy="go nearer", t=2.0)) == "arm: out of reach; go nearer"
    with pytest.raises(TypeError, match="no attribute 'tt'"):
        lg.UnreachableError("out of reach", tt=2.0)


def test_a_warning_points_at_the_line_that_caused_it() -> None:
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        warn("careful", lg.SimulationWarning)
    assert met[0].filename == __file__
    assert issubclass(met[0].category, lg.LagrangianWarning)


def test_parameters_print_their_values() -> None:
    m = lg.loads(
        """
        [parameters]
        l = 0.5
        m = 3
        I = "m*l^2/12"
        [[body]]
        name = "rod"
        mass = "m"
        inertia = ["I", "I", 0]
        [[joint]]
        name = "q"
        type = "revolute"
        child = "rod"
        axis = "x"
        """
    )
    assert str(m.parameters) == "l = 0.5\nm = 3\nI = m*l^2/12 = 0.0625"
    assert str(lg.Mechanism("none", [], []).parameters) == "no parameters"


def test_other_values_of_parameters_are_refused_where_they_would_change_nothing() -> None:
    arm = lg.library("two_r")
    with pytest.raises(lg.MechanismError, match=r"'l1' is 1 in .* already.*with_parameters\(l1=2\)"):
        arm.replace(parameters={**arm.parameters, "l1": lg.parameter("l1", 2.0)})
    assert arm.replace(parameters=arm.parameters) == arm
    assert list(arm.replace(parameters={"k": lg.parameter("k", 2.0)}).parameters) == ["k"]
    longer = lg.library("two_r", parameters={"l1": 2.0})
    assert lg.compile(longer).pose([0.0, 0.0], "tip")[0, 3] == lg.compile(arm).pose([0.0, 0.0], "tip")[0, 3] + 1.0


@pytest.mark.parametrize(
    "q0", ["30deg, 0.1", "(pi/6, 0.1)", "theta1=30deg, theta2=0.1", ["30deg", 0.1], {"theta1": "30deg", "theta2": 0.1}]
)
def test_angles_may_be_given_in_degrees(q0: Any) -> None:
    assert lg.simulate("two_r", 0.01, q0=q0, t_eval=2).q[0] == pytest.approx([np.pi / 6, 0.1])
    assert lg.assemble("two_r", q0) == pytest.approx([np.pi / 6, 0.1])
    speeds = lg.simulate("two_r", 0.01, q0="upright", qd0="theta2=-90deg", t_eval=2).qd[0]
    assert speeds == pytest.approx([0.0, -np.pi / 2])


@pytest.mark.parametrize(
    ("q0", "message"),
    [
        ("30deg", "2 finite numbers are needed: theta1, theta2"),
        ("uprigt", "Did you mean 'upright'"),
        ("theta3=1", "Did you mean 'theta"),
        ("30grad, 1", "'30grad' is not understood"),
        ("__import__('os'), 1", "in the expression"),
    ],
)
def test_texts_that_are_no_configuration(q0: str, message: str) -> None:
    with pytest.raises(lg.ArgumentError) as caught:
        lg.simulate("two_r", 1, q0=q0)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda arm: lg.simulate(arm, 1.0, torque=object()), "torque"),
        (lambda arm: lg.simulate(arm, 1.0, torque={"theta9": 1.0}), "torque"),
        (lambda arm: lg.simulate(arm, 1.0, wrenches=3), "wrenches"),
        (lambda arm: lg.simulate(arm, 1.0, events=3), "events"),
        (lambda arm: lg.simulate(arm, 1.0, events=lg.Event("theta1", lg.LockJoints("theta9"))), "events"),
        (lambda arm: lg.simulate(arm, 1.0, events=lg.Event("theta1", lg.SetTorque({"theta1": "off"}))), "events"),
        (lambda arm: lg.control.OperationalSpace(arm, (0.3, 0.2), frame="tip", directions=("z",)), "directions"),
        (lambda arm: lg.inverse(arm, None), "path"),
        (lambda arm: lg.inverse_kinematics(arm, "there", frame="tip"), "target"),
        (lambda arm: lg.paths.circle((0, 0), -1.0, 1.0), "radius"),
        (lambda arm: lg.paths.line((0, 0), (1, 0)), "duration"),
        (lambda arm: lg.paths.line((0, 0), (1, 0), 1.0, timing="slow"), "timing"),
        (lambda arm: lg.identify(arm, [0.0], [[0.0, 0.0]], [[0.0, 0.0]], folds=1), "folds"),
        (lambda arm: lg.excitation_trajectory(arm, harmonics=0), "harmonics"),
        (lambda arm: lg.size_actuators(arm, lg.inverse(arm, lg.paths.joint_line((0, 0), (1, 0), 1.0)), prefer="cheap"), "prefer"),
        (lambda arm: lg.load("two_r.txt\n"), "path"),
        (lambda arm: lg.loads("", "yaml"), "format"),
        (lambda arm: lg.Gear(-1.0), "ratio"),
        (lambda arm: lg.Sampled(print, 0.0), "period"),
    ],
)
def test_a_wrong_argument_is_named_as_data(call: Callable[[lg.Mechanism], Any], argument: str) -> None:
    with pytest.raises(lg.ArgumentError) as caught:
        call(lg.library("two_r"))
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda run: lg.assemble("four_bar", fixed=3), "fixed is 3; strings without repetition"),
        (lambda run: lg.consistent_speeds("four_bar", fixed=None), "fixed is None; strings"),
        (lambda run: lg.compare_solvers("pendulum", 0.1, methods=[[]]), r"methods is \[\[\]\]; strings"),
        (lambda run: lg.paths.interpolate([0, 1, 2], np.zeros((3, 2)), names=np.zeros((3, 2))), "names is .*; strings"),
        (lambda run: lg.paths.interpolate([0, 1, 2], np.zeros((3, 2)), names=np.array(0.5)), "names is 0.5; strings"),
        (lambda run: run.summary(events=1.5), "events is 1.5; a whole number"),
        (lambda run: run([[]]), r"t has the shape \(1, 0\); a number, or a list of numbers, is needed"),
        (lambda run: run(np.zeros((3, 4))), r"t has the shape \(3, 4\)"),
        (lambda run: run.error_against(method=3), "there is no method 3"),
        (lambda run: run.plot(frames=len), "frames is .*; a string or a list of strings or None is needed"),
        (lambda run: run.plot(joints=np.int64(3)), "joints is 3; a string or a list of strings or None is needed"),
        (lambda run: lg.derive("two_r").singularities("link2", np.zeros(2)), "there is no direction"),
        (lambda run: lg.Mechanism.from_dh([], convention=np.zeros(2)), r"convention is \[0.0, 0.0\]"),
        (lambda run: lg.Mechanism.from_dh(np.array(1.0), convention="standard"), "rows is 1.0; it must be a list of rows"),
        (lambda run: lg.derive("two_r").singularities("link2", np.zeros(0)), "directions"),
        (lambda run: run.save([1]), "a path to a file is needed, not list"),
        (lambda run: run.save("out.csv", angles=np.zeros(2)), "there is no angles"),
        (lambda run: lg.read("x" * 10_000), "there is no such file"),
        (lambda run: lg.simulate("x" * 10_000, 1.0), "is neither a file nor a mechanism of the library"),
    ],
)
def test_odd_arguments_are_reported(call: Callable[[lg.Motion], Any], message: str) -> None:
    run = lg.simulate("pendulum", 0.1, t_eval=3)
    with pytest.raises(lg.LagrangianError, match=message):
        call(run)

"""Bad paths: each is named, with what would be right. Nothing that is given is ignored."""

import math

import numpy as np
import pytest

import lagrangian as lg
from lagrangian import paths

NAN = math.nan
POSE = np.eye(4)
LINE = ((0, 0), (1, 0))


def transform_with_entry(row, column, value):
    T = np.eye(4)
    T[row, column] = value
    return T


def line(*args, **more):
    return lambda: paths.line(*(args or LINE), **more)


def circle(*args, **more):
    return lambda: paths.circle(*args, **more)


TWO_R = lg.library("two_r")
THERE, BACK = paths.line(*LINE, 1.0), paths.line((1, 0), (0, 0), 1.0)
TURNS = [(1, 0, 0, 0), (1, 0.1, 0, 0), (1, 0.2, 0, 0), (1, 0.3, 0, 0)]
ROUND = [(math.cos(x / 2), 0, 0, math.sin(x / 2)) for x in np.linspace(0, 2 * math.pi, 7)]

BAD = {
    # how long
    "neither duration nor limits": (line(), "give one, or limits"),
    "both": (line(*LINE, 1.0, speed=1), "not both"),
    "both, of joints": (lambda: paths.joint_line([0], [1], 1.0, acceleration=1), "not both"),
    "duration zero": (line(*LINE, 0), "duration is 0; a positive number of seconds"),
    "duration negative": (line(*LINE, -1.0), "duration is -1.0"),
    "duration nan": (line(*LINE, NAN), "duration is nan"),
    "duration infinite": (line(*LINE, math.inf), "duration is inf"),
    "duration text": (line(*LINE, "2"), "duration is '2'"),
    "duration true": (line(*LINE, True), "duration is True"),
    "speed negative": (line(speed=-1), "speed is -1; a positive number"),
    "speed nan": (line(speed=NAN), "speed is nan"),
    "speed text": (line(speed="fast"), "speed is 'fast'"),
    "three speeds for two joints": (lambda: paths.joint_line([0, 0], [1, 1], speed=[1, 2, 3]), "or 2 of them"),
    "nowhere": (line((1, 1), (1, 1), speed=1), "does not move"),
    "uniform with an acceleration": (line(timing="uniform", acceleration=1), "has no acceleration to limit"),
    "timing unknown": (line(*LINE, 1.0, timing="cubic"), "timing is 'cubic'; it must be one of quintic, trapezoidal, uniform"),
    "timing none that is": (line(timing=3, speed=1), "timing is 3"),
    "ramp too long": (line(*LINE, 1.0, timing="trapezoidal", ramp=0.6), "at most half of the duration"),
    "ramp text": (line(*LINE, 1.0, timing="trapezoidal", ramp="x"), "ramp is 'x'"),
    "ramp zero": (line(*LINE, 1.0, timing="trapezoidal", ramp=0), "ramp is 0"),
    "ramp of a quintic": (line(*LINE, 1.0, ramp=0.1), "needs timing='trapezoidal'"),
    "ramp with limits": (line(speed=1, timing="trapezoidal", ramp=0.1), "`ramp` needs a duration"),
    "angular speed of points": (line(speed=1, angular_speed=1), "has no orientation"),
    "an argument unknown": (line(*LINE, 1.0, sped=1), "no argument 'sped'. Did you mean 'speed'"),
    # where
    "points of 2 and 3": (line((0, 0), (1, 0, 0), 1.0), "begins with 2 coordinates and ends with 3"),
    "point of 4": (line((0, 0, 0, 0), (1, 0, 0, 0), 1.0), r"start is \(0, 0, 0, 0\); a point"),
    "point nan": (line((0, 0), (1, NAN), 1.0), "end is .* a point"),
    "point text": (line("here", (1, 0), 1.0), "start is 'here'; a point"),
    "pose at one end": (line(POSE, (1, 0, 0), 1.0), "at one end only"),
    "pose of nan": (line(POSE, transform_with_entry(0, 3, NAN), 1.0), "end is not a pose: all its numbers must be finite"),
    "pose with a bad row": (
        line(transform_with_entry(3, 0, 1), POSE, 1.0),
        "start is not a pose: .* its last row must be 0, 0, 0, 1",
    ),
    "pose that is no rotation": (line(transform_with_entry(0, 0, 1.1), POSE, 1.0), "start is not a rotation matrix"),
    "pose mirrored": (line(transform_with_entry(2, 2, -1.0), POSE, 1.0), "right-handed"),
    "orientation twice": (line(POSE, POSE, 1.0, orientation=(1, 0, 0, 0)), "given twice"),
    "orientation of zeros": (line(*LINE, 1.0, orientation=(0, 0, 0, 0)), "quaternion of zeros"),
    "orientation of three": (line(*LINE, 1.0, orientation=(0, 0, 0)), "a 3x3 rotation matrix, a 4x4 pose, or a quaternion"),
    "orientation nan": (line(*LINE, 1.0, orientation=(1, 0, 0, NAN)), "quaternion"),
    "directions in one": (line(*LINE, 1.0, directions="xy"), r"no direction 'xy'. Did you mean \('x', 'y'\)\?"),
    "speed of one": (line(*LINE, speed=-0.5), "speed is -0.5; a positive number is needed"),
    "numbers of numpy": (line(np.float64([1 / 3] * 4), (0, 1), 1.0), r"start is \[0.333333, 0.333333, 0.333333, 0.333333\];"),
    "direction unknown": (line(*LINE, 1.0, directions=("x", "yy")), "no direction 'yy'. Did you mean 'y'"),
    "direction twice": (line(*LINE, 1.0, directions=("x", "x")), "without repetition"),
    "no direction": (line(*LINE, 1.0, directions=()), r"directions is \(\)"),
    "directions a number": (line(*LINE, 1.0, directions=3), "directions is 3"),
    "a direction the path has not": (line(*LINE, 1.0, directions=("x", "wz")), "has no orientation"),
    # circles and arcs
    "radius": (circle((0, 0), 0, 1.0), "radius is 0; a positive"),
    "radius text": (circle((0, 0), "r", 1.0), "radius is 'r'"),
    "center of one": (circle((0,), 1, 1.0), "center has 1 numbers"),
    "center text": (circle("c", 1, 1.0), "center is 'c'"),
    "turns zero": (circle((0, 0), 1, 1.0, turns=0), "turns is 0"),
    "turns text": (circle((0, 0), 1, 1.0, turns="one"), "turns is 'one'"),
    "normal zero": (circle((0, 0, 0), 1, 1.0, normal=(0, 0, 0)), r"normal is \(0, 0, 0\); three numbers with a direction"),
    "normal text": (circle((0, 0, 0), 1, 1.0, normal="up"), "normal is 'up'"),
    "a planar circle tilted": (circle((0, 0), 1, 1.0, normal=(0, 1, 1)), "must be along z"),
    "start along the normal": (circle((0, 0, 0), 1, 1.0, start=(0, 0, 2)), "parallel to its normal"),
    "start nan": (circle((0, 0, 0), 1, 1.0, start=(1, 0, NAN)), "start is"),
    "start a number": (circle((0, 0), 1, 1.0, start=1), "start is 1"),
    "start of four": (circle((0, 0), 1, 1.0, start=(1, 0, 0, 0)), "start is"),
    "arc on a line": (lambda: paths.arc((0, 0), (1, 1), (2, 2), 1.0), "lie on a line"),
    "arc on itself": (lambda: paths.arc((0, 0), (1, 1), (0, 0), 1.0), "lie on a line"),
    "arc in 2 and 3": (lambda: paths.arc((0, 0), (1, 1, 0), (2, 2), 1.0), "different numbers"),
    "arc of one pose": (lambda: paths.arc(POSE, (1, 1, 0), (2, 0, 0), 1.0), "at one end only"),
    # splines
    "spline of nothing": (lambda: paths.spline([], 1.0), "there are none"),
    "spline of a number": (lambda: paths.spline(3, 1.0), "a spline needs points"),
    "spline of one point": (lambda: paths.spline([(0, 0)], 1.0), "1 points are given; .* needs 2"),
    "free spline of three": (lambda: paths.spline([(0, 0), (1, 0), (2, 1)], 1.0, ends="free"), "needs 4"),
    "spline of mixed points": (lambda: paths.spline([(0, 0), (1, 0, 0)], 1.0), "different numbers"),
    "spline of points and poses": (lambda: paths.spline([POSE, (1, 0, 0)], 1.0), "1 of the spline's 2 points are poses"),
    "point twice": (lambda: paths.spline([(0, 0), (1, 0), (1, 0), (2, 0)], 1.0), "points 2 and 3 of the spline are the same"),
    "ends unknown": (lambda: paths.spline([(0, 0), (1, 0)], 1.0, ends="open"), "no end condition 'open'"),
    "degree": (lambda: paths.spline([(0, 0), (1, 0)], 1.0, degree=4), "degree is 4"),
    "not closed": (lambda: paths.spline([(0, 0), (1, 0), (1, 1)], 1.0, ends="periodic"), "last point must be its first"),
    "times too few": (lambda: paths.spline([(0, 0), (1, 0)], times=[0]), "1 times are given for 2 rows"),
    "times not increasing": (lambda: paths.spline([(0, 0), (1, 0), (2, 0)], times=[0, 1, 1]), "1 s follows 1 s"),
    "times nan": (lambda: paths.spline([(0, 0), (1, 0)], times=[0, NAN]), "times is"),
    "times and duration": (lambda: paths.spline([(0, 0), (1, 0)], 1.0, times=[0, 1]), "leave out duration"),
    "times and timing": (lambda: paths.spline([(0, 0), (1, 0)], times=[0, 1], timing="quintic"), "leave out duration"),
    "times and speed": (lambda: paths.joint_spline([[0], [1]], times=[0, 1], speed=1), "leave out duration"),
    "orientations too few": (lambda: paths.spline([(0, 0), (1, 0)], 1.0, orientations=TURNS), "4 orientations are given for 2"),
    "orientations a number": (lambda: paths.spline([(0, 0), (1, 0)], 1.0, orientations=3), "one entry for each point"),
    "orientations an array of one": (
        lambda: paths.spline([(0, 0), (1, 0)], 1.0, orientations=np.array(3)),
        "one entry for each point",
    ),
    "orientation 2 bad": (
        lambda: paths.spline([(0, 0), (1, 0)], 1.0, orientations=[(1, 0, 0, 0), (1, 0)]),
        "orientation 2 is",
    ),
    "orientations of poses": (
        lambda: paths.spline([POSE, transform_with_entry(0, 3, 1)], 1.0, orientations=TURNS[:2]),
        "must not be poses",
    ),
    "orientations not closed": (
        lambda: paths.spline([(0, 0), (1, 0), (1, 1), (0, 0)], 1.0, ends="periodic", orientations=TURNS),
        "last orientation must be its first",
    ),
    "orientations once around": (
        lambda: paths.spline([(k, k * k) for k in (0, 1, 2, 3, 2, 1, 0)], 1.0, ends="periodic", orientations=ROUND),
        "a whole turn|same",
    ),
    # of joints
    "coordinates of two lengths": (lambda: paths.joint_line([0], [1, 2], 1.0), "begins with 1 coordinates and ends with 2"),
    "coordinate nan": (lambda: paths.joint_line([0], [NAN], 1.0), "end is .*nan.* all finite"),
    "coordinates text": (lambda: paths.joint_line(["a"], [1], 1.0), "start is"),
    "mappings of different names": (lambda: paths.joint_line({"a": 0}, {"b": 1}, 1.0), "end has coordinates b; a are needed"),
    "pose name without mechanism": (lambda: paths.joint_line("zero", [1], 1.0), "the name of a pose; give `mechanism`"),
    "pose name unknown": (
        lambda: paths.joint_line("zeros", [0, 1], 1.0, mechanism=TWO_R),
        "start: there is no pose 'zeros'. Did you mean 'zero'",
    ),
    "coordinate unknown": (
        lambda: paths.joint_line({"thta1": 0}, {"thta1": 1}, 1.0, mechanism=TWO_R),
        "no coordinate 'thta1'. Did you mean 'theta1'",
    ),
    "wrong number for the mechanism": (lambda: paths.joint_line([0], [1], 1.0, mechanism=TWO_R), "1 coordinates; 2 are needed"),
    "names too many": (lambda: paths.joint_line([0], [1], 1.0, names=("a", "b")), "1 coordinates; 2 are needed"),
    "names twice": (lambda: paths.interpolate(np.arange(8.0), np.zeros((8, 2)), names=("a", "a")), "without repetition"),
    "names numbers": (lambda: paths.joint_line([0], [1], 1.0, names=(1,)), "names is"),
    "names of columns": (lambda: paths.interpolate(np.arange(8.0), np.zeros((8, 2)), names=("a",)), "1 names are given for 2"),
    "recorded flat": (lambda: paths.interpolate(np.arange(8.0), np.zeros(8)), "rows of numbers"),
    "recorded short": (lambda: paths.interpolate([0, 1], [[0], [1]], degree=5), "needs 6"),
    "recorded backwards": (lambda: paths.interpolate([0, 1, 3, 2, 4, 5], np.zeros((6, 1))), "2 s follows 3 s"),
    # formulas and functions
    "formula a list": (lambda: paths.formula(["t"], 1.0), "a mapping of names to expressions"),
    "formula empty": (lambda: paths.formula({}, 1.0), "a mapping"),
    "formula of numbers": (lambda: paths.formula({3: "t"}, 1.0), "the formula's names"),
    "formula none": (lambda: paths.formula({"q": None}, 1.0), "formula of 'q' is None"),
    "formula unknown name": (lambda: paths.formula({"q": "a*t"}, 1.0), "formula of 'q'.*no name 'a'"),
    "formula of code": (lambda: paths.formula({"q": "__import__('os')"}, 1.0), "formula of 'q'"),
    "formula direction": (lambda: paths.formula({"u": "t"}, 1.0, frame="tip"), "frame 'tip': there is no direction 'u'"),
    "formula not finite": (lambda: paths.formula({"q": "t", "r": "sqrt(t)"}, 1.0)(0.0), "formula of 'r'.* not finite at t = 0 s"),
    "formula's start": (lambda: paths.formula({"q": "t"}, 1.0, start="x"), "start is 'x'"),
    "parameter t": (lambda: paths.formula({"q": "t"}, 1.0, parameters={"t": 1.0}), "under another name than t"),
    "parameter text": (lambda: paths.formula({"q": "a"}, 1.0, parameters={"a": "b"}), "parameter 'a' is 'b'"),
    "function none": (lambda: paths.function(3, 1.0), "a function of times is needed, not 3"),
    "function of two": (lambda: paths.function(lambda t: (t, t), 1.0)(0.0), "must return three arrays"),
    "function flat": (lambda: paths.function(lambda t: (t, t, t), 1.0), r"returned the shapes \(\d+,\)"),
    "function nan": (lambda: paths.function(lambda t: (t[:, None] * NAN,) * 3, 1.0), "not finite at t = 0 s"),
    # times and joining
    "before its start": (lambda: THERE(-0.1), "from 0 to 1 s; t is -0.1"),
    "after its end": (lambda: THERE([0.5, 1.1]), "from 0 to 1 s"),
    "at nan": (lambda: THERE(NAN), "t is nan"),
    "at a text": (lambda: THERE("noon"), "t is 'noon'"),
    "at a matrix": (lambda: THERE([[0.1]]), "from 0 to 1 s"),
    "begun at nan": (lambda: THERE.with_start_time(NAN), "t is nan"),
    "begun at a text": (lambda: THERE.with_start_time("noon"), "t is 'noon'"),
    "sequence of nothing": (paths.sequence, "a sequence needs paths"),
    "sequence of numbers": (lambda: paths.sequence(THERE, 3), "a sequence needs paths"),
    "sequence with a gap": (
        lambda: paths.sequence(THERE, THERE),
        "path 2 .* does not begin as path 1 ends: the position differs by 1",
    ),
    "sequence with a jerk": (
        lambda: paths.sequence(THERE, paths.line((1, 0), (2, 0), 1.0, timing="uniform")),
        "the speed differs by",
    ),
    "sequence of joints and frames": (
        lambda: paths.sequence(THERE, paths.joint_line([0], [1], 1.0)),
        "does not lead the same coordinates or frame as the first",
    ),
    "sequence of two frames": (
        lambda: paths.sequence(THERE, paths.line((1, 0), (0, 0), 1.0, frame="tip")),
        "does not lead the same coordinates or frame as the first",
    ),
    "dwell of nothing": (lambda: paths.dwell("here", 1.0), "path is 'here'; a path is needed"),
    "dwell negative": (lambda: paths.dwell(THERE, -1.0), "duration is -1.0"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_arguments(what):
    make, message = BAD[what]
    with pytest.raises(lg.ArgumentError, match=message):
        make()


HEADER = "t,q1,q2\n"
FILES = {
    "empty": ("", "the file is empty; a first row with the names"),
    "comments only": ("# nothing\n\n", "the file is empty"),
    "header only": (HEADER, "there are 0 rows of numbers; at least two"),
    "one row": (HEADER + "0,1,2\n", "there are 1 rows"),
    "no t": ("x,q1\n0,1\n1,2\n", "line 1: the first row must name the columns, t first"),
    "no header": ("0,1\n1,2\n", "line 1: the first row must name"),
    "t alone": ("t\n0\n1\n", "line 1"),
    "a name twice": ("t,q,q\n0,1,2\n1,2,2\n", "all different"),
    "a name missing": ("t,q,\n0,1,2\n1,2,2\n", "line 1"),
    "a bad cell": ("# c\n" + HEADER + "0,1,2\n\n1,x,2\n", r"line 5, column 'q1': 'x' is not a number"),
    "an empty cell": (HEADER + "0,1,2\n1,2,\n", r"line 3, column 'q2': '' is not a number"),
    "nan": (HEADER + "0,1,2\n1,nan,2\n", r"line 3, column 'q1': 'nan' is not a finite number"),
    "inf": (HEADER + "0,1,2\n1,2,1e999\n", r"line 3, column 'q2': '1e999' is not a finite number"),
    "an underscore": (HEADER + "0,1,1_0\n1,2,3\n", r"line 2, column 'q2': '1_0'"),
    "a cell too few": (HEADER + "0,1,2\n1,2\n", "line 3: there are 2 numbers for 3 columns"),
    "a cell too many": (HEADER + "0,1,2,3\n1,2,3\n", "line 2: there are 4 numbers for 3 columns"),
    "decimal commas": ("t;q\n0;1,5\n1;2\n", r"line 2, column 'q': '1,5' is not a number"),
    "times back": (HEADER + "0,1,2\n2,1,2\n1,1,2\n", "line 4: times must increase; 1 s follows 2 s"),
    "a quote that stays open": (HEADER + '0,"1,2\n1,2,3\n', "line 2: it cannot be read"),
    "a huge cell": (HEADER + "0,1," + "1" * 200_000 + "\n1,2,3\n", "line 2: it cannot be read as a row"),
    "formulas": (HEADER + "0,=1+1,2\n1,2,3\n", "'=1[+]1' is not a number"),
}


@pytest.mark.parametrize("what", FILES)
def test_bad_files(what, tmp_path):
    text, message = FILES[what]
    file = tmp_path / "path.csv"
    file.write_text(text)
    with pytest.raises(lg.DescriptionError, match=message) as error:
        paths.read(file)
    assert "path.csv" in str(error.value)
    assert len(str(error.value)) < 600


def test_files_that_are_none(tmp_path):
    with pytest.raises(lg.DescriptionError, match=r"none.csv: there is no such file"):
        paths.read(tmp_path / "none.csv")
    with pytest.raises(lg.DescriptionError, match="cannot be read as text"):
        paths.read(tmp_path)
    with pytest.raises(lg.DescriptionError, match="the file of the path is 3; a file name is needed"):
        paths.read(3)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    with pytest.raises(lg.DescriptionError, match="cannot be read as text"):
        paths.read(tmp_path / "binary.csv")
    with pytest.raises(lg.DescriptionError, match="cannot be read as text"):
        paths.read("null\0.csv")


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("t,q1,q2", "{},1,2", "column 'q1' is unknown; .* has the columns x, y, z, qw, qx, qy, qz"),
        ("t,x,qw,qx", "{},1,1,0", "an orientation needs all of qw, qx, qy, qz"),
        ("t,x,qw,qx,qy,qz", "{},1,2,0,0,0", "has length 2, not 1"),
    ],
)
def test_bad_files_of_a_frame(header, row, message, tmp_path):
    file = tmp_path / "path.csv"
    file.write_text("\n".join([header, *(row.format(k) for k in range(8))]))
    with pytest.raises(lg.ArgumentError, match=message):
        paths.read(file, frame="tip")


def test_too_few_rows_for_the_degree(tmp_path):
    file = tmp_path / "path.csv"
    file.write_text("t,q\n0,1\n1,2\n2,0\n")
    with pytest.raises(lg.ArgumentError, match="3 points are given; a spline of degree 5 with free ends needs 6"):
        paths.read(file, degree=5)
    assert paths.read(file, degree=3, ends="natural").duration == 2


@pytest.mark.parametrize("rows", [2, 3, 4, 5])
def test_few_rows_are_one_polynomial(rows, tmp_path):
    """Through n rows goes one polynomial of degree n - 1, and that is what the path is."""
    t = np.linspace(0.5, 2.0, rows)
    expected = np.polynomial.Polynomial(np.arange(1.0, rows + 1))
    file = tmp_path / "path.csv"
    file.write_text("t,q,x\n" + "".join(f"{a!r},{expected(a)},0\n" for a in t.tolist()))
    path, when = paths.read(file), np.linspace(0.5, 2.0, 7)
    for k, actual in enumerate(path(when)):
        assert actual[:, 0] == pytest.approx((expected.deriv(k) if k else expected)(when), abs=1e-10)
    file.write_text("t,x,qw,qx,qy,qz\n" + "".join(f"{a!r},{expected(a)},1,0,0,0\n" for a in t.tolist()))
    assert paths.read(file, frame="tip")(when)[0][:, 0, 3] == pytest.approx(expected(when), abs=1e-10)

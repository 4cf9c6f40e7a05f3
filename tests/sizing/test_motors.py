"""Motors: their envelopes, the shipped catalogue against published values, and catalogues that are wrong."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.sizing.gears import STANDARD_GEARS, as_gears
from lagrangian.sizing.motors import COLUMNS, RPM, as_motors

HEADER = "name,rated_torque_Nm,peak_torque_Nm,rated_speed_rpm,max_speed_rpm,inertia_kgm2"
GOOD = "m1,1,3,3000,5000,1e-5"


def motor(**changes: float | str | None) -> lg.Motor:
    return lg.Motor(
        **{"name": "m", "rated_torque": 1.0, "peak_torque": 3.0, "rated_speed": 300.0, "max_speed": 500.0, "inertia": 1e-5}
        | changes
    )


def write_catalogue(folder: Path, *lines: str) -> Path:
    file = folder / "motors.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_envelope_of_a_servo() -> None:
    m = motor()
    assert m.rated_power == 300
    assert m.continuous_torque([0, 300, 400, 500]) == pytest.approx([1, 1, 0.75, 0.6])
    assert m.intermittent_torque([0, 300, 400, 500]) == pytest.approx([3, 3, 1.8, 0.6])
    assert m.intermittent_torque(-400) == m.intermittent_torque(400)
    assert m.intermittent_torque(500.1) == 0
    assert m.continuous_torque(500.1) == 0
    assert np.all(m.continuous_torque(np.linspace(0, 600, 999)) <= m.intermittent_torque(np.linspace(0, 600, 999)))


def test_envelope_with_a_knee_and_standstill_torque() -> None:
    m = motor(knee_speed=400, standstill_torque=2)
    assert m.intermittent_torque([400, 450]) == pytest.approx([3, 1.8])
    assert m.continuous_torque([0, 150, 300]) == pytest.approx([2, 1.5, 1])
    assert m.power_rate == pytest.approx(4 / 1e-5)
    assert motor(knee_speed=500).intermittent_torque(500) == 3


def test_a_voltage_cuts_both_envelopes() -> None:
    m = motor(no_load_speed=400, stall_torque=4, peak_torque=3)
    assert m.intermittent_torque([0, 100, 200, 399, 400, 450]) == pytest.approx([3, 3, 2, 0.01, 0, 0])
    assert m.continuous_torque([300, 350, 380]) == pytest.approx([1, 0.5, 0.2])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rated_torque": -1}, "rated_torque"),
        ({"inertia": 0}, "inertia"),
        ({"inertia": math.nan}, "inertia"),
        ({"peak_torque": 0.5}, "rated_torque 1 is greater than peak_torque 0.5"),
        ({"max_speed": 200}, "rated_speed"),
        ({"knee_speed": 600}, "knee_speed"),
        ({"no_load_speed": 600}, "both or none"),
        ({"stall_torque": 6}, "both or none"),
        ({"standstill_torque": 4}, "standstill_torque"),
        ({"mass": "heavy"}, "mass"),
        ({"peak_torque": True}, "peak_torque"),
        ({"name": " "}, "no name"),
    ],
)
def test_bad_motors(changes: dict[str, float], says: str) -> None:
    with pytest.raises(lg.ArgumentError, match=says):
        motor(**changes)


def test_the_shipped_catalogue_has_the_published_figures() -> None:
    """Rated angular acceleration T/J in rad/s^2 and power rate T^2/J in kW/s, as the maker prints them."""
    motors = {m.name: m for m in lg.read_catalogue()}
    acceleration = {
        "SGMAH-A3A": 57500,
        "SGMAH-A5A": 72300,
        "SGMAH-01A": 87400,
        "SGMAH-02A": 60100,
        "SGMAH-04A": 73600,
        "SGMAH-08A": 35500,
    }
    acceleration |= {
        "SGMSH-10A": 18250,
        "SGMSH-15A": 19840,
        "SGMSH-20A": 19970,
        "SGMSH-30A": 14000,
        "SGMSH-40A": 13160,
        "SGMSH-50A": 12780,
    }
    for name, published in acceleration.items():
        assert motors[name].rated_torque / motors[name].inertia == pytest.approx(published, rel=0.01)
    rate = {"SGMPH-01A": 20.6, "SGMPH-02A": 21.0, "SGMPH-04A": 49.0, "SGMPH-08A": 27.1, "SGMPH-15A": 56.7}
    for name, published in rate.items():
        assert motors[name].power_rate / 1000 == pytest.approx(published, rel=0.01)
    for m in motors.values():
        assert m.source
        assert m.rated_power == pytest.approx(m.rated_torque * m.rated_speed, rel=0.06)
    assert min(m.rated_power for m in motors.values()) <= 10
    assert max(m.rated_power for m in motors.values()) >= 5000


def test_a_catalogue_is_read(tmp_path: Path) -> None:
    file = write_catalogue(
        tmp_path, "# comment", HEADER + ",mass_kg,source", "", '"a, b",1,3,3000,5000,1e-5,,"by hand"', "c,1,3,3000,5000,1e-5,2,"
    )
    first, second = lg.read_catalogue(file)
    assert first.name == "a, b"
    assert first.mass is None
    assert first.source == "by hand"
    assert first.rated_speed == pytest.approx(3000 * RPM)
    assert second.mass == 2
    assert as_motors(str(file)) == (first, second)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_catalogue_with_other_separators_and_columns(tmp_path: Path, separator: str) -> None:
    (expected,) = lg.read_catalogue(write_catalogue(tmp_path, HEADER, GOOD))
    file = write_catalogue(
        tmp_path, "# a, b", (HEADER + ",price in EUR,Bauart").replace(",", separator), (GOOD + ",7,x").replace(",", separator)
    )
    with pytest.warns(lg.ReaderWarning, match="line 2: columns 'price in EUR', 'Bauart' are not used. The known columns are"):
        assert lg.read_catalogue(file) == (expected,)


@pytest.mark.parametrize("column", [c for c in COLUMNS if c not in ("no_load_speed_rpm", "stall_torque_Nm")])
@pytest.mark.parametrize("bad", ["x", "-1", "0", "nan", "inf", "1_000 000"])
def test_a_bad_number_names_file_line_and_column(tmp_path: Path, column: str, bad: str) -> None:
    values = dict(zip(HEADER.split(","), GOOD.split(","), strict=True)) | {column: bad}
    file = write_catalogue(tmp_path, ",".join(values), ",".join(values.values()))
    with pytest.raises(lg.DescriptionError, match=rf"motors\.csv: line 2: column {column}: "):
        lg.read_catalogue(file)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ((HEADER.replace("inertia_kgm2", "inertia"), GOOD), r"line 1: there is no column 'inertia'. Did you mean 'inertia_kgm2'"),
        (
            (HEADER.replace("inertia_kgm2", "inertia_gcm2"), GOOD),
            "line 1: column 'inertia_gcm2': the unit must be kgm2; convert the values, and call the column 'inertia_kgm2'",
        ),
        ((HEADER + ",mas_kg", GOOD + ",2"), "line 1: there is no column 'mas_kg'. Did you mean 'mass_kg'"),
        ((HEADER.replace(",", ";"), GOOD.replace(",", ";").replace("3000", "3000,5")), "'3000,5' is not a number; decimals are"),
        (("name,rated_torque_Nm", "m,1"), "line 1: the header lacks peak_torque_Nm"),
        ((HEADER + ",name", GOOD + ",b"), "line 1: column 'name' appears twice"),
        ((HEADER, GOOD + ",7"), "line 2: it has 7 entries; the header names 6"),
        ((HEADER, GOOD, ",1,3,3000,5000,1e-5"), "line 3: column name"),
        ((HEADER, "m,1,3,3000,5000,"), "line 2: column inertia_kgm2: a number is needed"),
        ((HEADER, GOOD, GOOD), "line 3: column name: two motors are called 'm1'"),
        ((HEADER, "m,3,1,3000,5000,1e-5"), "line 2: motor 'm': rated_torque 3 is greater than peak_torque 1"),
        ((HEADER, 'm,"3'), "line 2: this is not valid CSV"),
        ((HEADER,), "no motor below"),
        (("# nothing",), "the file is empty"),
    ],
)
def test_bad_catalogues(tmp_path: Path, lines: tuple[str, ...], says: str) -> None:
    with pytest.raises(lg.DescriptionError, match=says):
        lg.read_catalogue(write_catalogue(tmp_path, *lines))


def test_a_catalogue_is_a_motor_motors_or_a_file(tmp_path: Path) -> None:
    assert as_motors(False) == ()
    assert as_motors(motor()) == as_motors([motor()]) == (motor(),)
    assert as_motors(None) is lg.read_catalogue()
    for bad, says in ((3, "path of a CSV"), ((), "no motors"), (["m"], "not a Motor"), ([motor(), motor()], "two motors")):
        with pytest.raises(lg.ArgumentError, match=says):
            as_motors(bad)
    with pytest.raises(lg.DescriptionError, match="no such file"):
        as_motors(tmp_path / "none.csv")


def test_gears_are_numbers_gears_or_ranges() -> None:
    assert as_gears(None) is STANDARD_GEARS
    assert as_gears(50) == as_gears([50]) == (lg.Gear(50),)
    mixed = as_gears([lg.GearRange(1, 10), 3])
    assert [type(g) for g in mixed] == [lg.GearRange, lg.Gear]
    assert lg.GearRange(2, 8).at(100).ratio == 8
    assert [g.ratio for g in lg.GearRange(5, 5).steps()] == [5]
    steps = [g.ratio for g in lg.GearRange(2, 8, 0.9).steps()]
    assert steps[0] == pytest.approx(2)
    assert steps[-1] == pytest.approx(8)
    assert str(lg.Gear(50, name="strain wave")) == "strain wave 50:1"


@pytest.mark.parametrize(
    "make",
    [
        lambda: lg.Gear(0),
        lambda: lg.Gear(-3),
        lambda: lg.Gear(math.inf),
        lambda: lg.Gear("50"),  # type: ignore[arg-type]
        lambda: lg.Gear(5, efficiency=0),
        lambda: lg.Gear(5, efficiency=1.1),
        lambda: lg.Gear(5, inertia=-1),
        lambda: lg.Gear(5, peak_torque=0),
        lambda: lg.GearRange(10, 1),
        lambda: lg.GearRange(0, 1),
        lambda: lg.GearRange(1, math.inf),
        lambda: as_gears([]),
        lambda: as_gears("50"),
        lambda: as_gears({"a": 1}),
    ],
)
def test_bad_gears(make: object) -> None:
    with pytest.raises(lg.ArgumentError, match="gear"):
        make()  # type: ignore[operator]

"""Every built-in machine file loads, names its source, and stands at home within its limits."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.description.parse import machine_text
from gough.loading import load_with_files

NAMES = [machine.name for machine in gough.machines(stages=1)]
SINGULAR = "singular-home"
NANORADIAN = 1e-9
WELL_CONDITIONED = 10
"""Condition number, lengths over the platform's radius, that a usable machine stays below at home."""


@pytest.mark.parametrize("name", NAMES)
class TestMachineFile:
    def test_it_is_called_what_its_file_is_called(self, name):
        assert gough.load(name).name == name

    def test_it_is_listed_with_its_leg_kind(self, name):
        (listed,) = [machine for machine in gough.machines(stages=1) if machine.name == name]
        _, (file,) = load_with_files(name)
        assert (listed.kind, listed.title, listed.source) == (file.legs.kind, file.title, file.source)

    def test_every_leg_closes_at_home_within_its_travel(self, name):
        m = gough.load(name)
        q = gough.inverse_kinematics(m, m.home)
        tolerance = NANORADIAN * m.size if m.legs.joint == "length" else NANORADIAN
        assert np.all(q >= m.limits.joint_min - tolerance)
        assert np.all(q <= m.limits.joint_max + tolerance)

    def test_home_keeps_every_limit(self, name):
        m = gough.load(name)
        margins = gough.margins(m, m.home)
        assert margins.is_allowed, margins.sentence()

    def test_home_is_far_from_singular(self, name):
        m = gough.load(name)
        J = gough.jacobian(m, m.home)
        # Rotations about the middle of the platform joints, weighed by their radius.
        J[:, 3:] -= np.cross(m.X_home[:3, :3] @ m.platform_centre, J[:, :3])
        J[:, 3:] /= m.characteristic_length
        condition = np.linalg.cond(J)
        assert (condition > 1e12) if name == SINGULAR else (condition < WELL_CONDITIONED)

    def test_its_travel_has_two_ends(self, name):
        """Every joint is limited on either side, or something else is: Hexel's report gives no shortest leg."""
        m = gough.load(name)
        assert np.isfinite(m.limits.joint_max).all()
        assert np.isfinite(m.limits.joint_min).all() or np.isfinite(m.limits.box[2, 0])

    def test_it_is_text_that_any_toml_reader_takes(self, name):
        text = machine_text(name)[1]
        assert text.isascii()
        assert tomllib.loads(text)["name"] == name


def test_the_package_carries_the_machine_files():
    folder = Path(gough.__file__).parent / "description" / "machines"
    assert {path.stem for path in folder.glob("*.toml")} == {machine.name for machine in gough.machines()}


def test_pitch_circle_shows_every_section_of_a_datasheet():
    """The file gives every limit and every figure of its drives, but for those that exclude one another."""
    _, (file,) = load_with_files("pitch-circle")
    limits = {key for key, value in file.limits if value is not None}
    drives = {key for key, value in file.actuators if value is not None}
    assert set(type(file.limits).model_fields) - limits == {"travel_min", "travel_max"}
    assert set(type(file.actuators).model_fields) - drives == {"modulus", "area", "gear_ratio"}


@pytest.mark.parametrize("name", ["rotopod", "hexaglide"])
def test_the_variants_of_the_sandia_report_have_what_its_analyses_need(name):
    """Its programs ask for strokes, speeds and stiffnesses; masses and forces are for the other analyses."""
    m = gough.load(name)
    assert "are ours" in " ".join(m.notes.split())
    assert np.linalg.eigvalsh(gough.stiffness(m, m.home)).min() > 0
    assert gough.velocity_envelope(m, m.home).guaranteed() > 0
    assert np.isfinite(gough.natural_frequencies(m, m.home).frequency).all()
    weight = gough.inverse_dynamics(m, m.home, np.zeros(6), np.zeros(6))
    assert (np.abs(weight) < m.limits.actuator_force).all()
    assert m.actuators.resolution is not None

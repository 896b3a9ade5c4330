"""The file that `gough new` writes is a machine, with and without what is switched off in it."""

import re
import tomllib

import numpy as np
import pytest

import gough
from gough.description.load import from_document
from gough.description.starter import starter_text
from gough.errors import InputError

SHORT_WAY = 0.02
"""[m]"""
SMALL_TURN = 0.1
"""[rad]"""
KINDS = ("UPS", "UCU", "PUS", "RUS")


def everything(text):
    """The file with all its settings switched on."""
    return re.sub(r"^#(?=[a-z\[])", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("text", [str, everything])
@pytest.mark.parametrize("kind", KINDS)
def test_it_loads_and_home_is_allowed(kind, text):
    document = tomllib.loads(text(starter_text(kind)))
    assert document["legs"]["kind"] == kind
    machine = from_document(document, "starter")
    assert gough.margins(machine, machine.home).is_allowed


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_move_both_ways_along_and_about_every_axis(kind):
    machine = from_document(tomllib.loads(starter_text(kind)), "starter")
    both_ways = np.concatenate([np.eye(3), -np.eye(3)])
    moved = gough.pose_matrix(SHORT_WAY * both_ways)
    turned = gough.pose_matrix(np.zeros(3), SMALL_TURN * both_ways, "XYZ")
    assert gough.margins(machine, moved @ machine.X_home).is_allowed.all()
    assert gough.margins(machine, machine.X_home @ turned).is_allowed.all()


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_a_line_for_most_keys(kind):
    from gough.description.schema import ActuatorsModel, LimitsModel, Units

    document = tomllib.loads(everything(starter_text(kind)))
    assert set(document["units"]) == set(Units.model_fields)
    assert set(LimitsModel.model_fields) - set(document["limits"]) == {"travel_min", "travel_max"}
    assert len(ActuatorsModel.model_fields) - len(document["actuators"]) == 3  # modulus and area; lead or ratio


def test_an_unknown_kind():
    with pytest.raises(InputError) as caught:
        starter_text("UPSS")
    assert (
        str(caught.value) == "no leg kind 'UPSS', expected UPS, UCU, PUS or RUS. Did you mean 'UPS' or 'RUS' or 'PUS'?"
    )

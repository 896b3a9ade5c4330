"""A quantity is declared once, at the attribute that holds it: every form of output has it from there."""

import json
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.schemas import schema_of

import gough
from gough.arrays import Array
from gough.datasheet.model import Section, facts
from gough.datasheet.pages import filled
from gough.machine import Machine
from gough.present.answer import of_result
from gough.present.fields import columns, with_units
from gough.present.read import netcdf_of
from gough.present.show import Show
from gough.present.write import csv_text, json_text, netcdf
from gough.quantity import derived, quantity, result
from gough.results import Result
from gough.viewer.panels.status import facts as facts_of_viewer

DOC = "How far the platform hangs below home."


@result
class Sag(Result):
    """Deflection of a platform."""

    depth: Array = quantity("m", "axis", frame="base", label="sag", symbol="d", doc=DOC)
    machine: Machine

    @property
    @derived("", label="is safe")
    def is_safe(self) -> bool:
        """Whether it is small."""
        return bool(np.abs(self.depth).max() < 0.01)


@pytest.fixture
def sag():
    return Sag(np.array([0.0, 0.001, -0.00275]), gough.load("hexel"))


def test_data_set_and_netcdf(sag):
    for data in (sag.dataset, netcdf_of(netcdf(sag.dataset), "sag.nc")):
        np.testing.assert_array_equal(data["depth"], sag.depth)
        attributes = {"units": "m", "definition": DOC, "long_name": "sag", "symbol": "d", "frame": "base"}
        assert attributes.items() <= data["depth"].attrs.items()
        assert bool(data["is_safe"]) is True


def test_json_and_its_schema(sag):
    fields = of_result(sag)
    document = json.loads(json_text(with_units(sag.machine, fields, sag.machine.units)))
    assert document["depth"] == [0.0, 1.0, -2.75]
    assert (document["units"]["depth"], document["frames"]["depth"]) == ("mm", "base")
    assert document["is_safe"] is True
    schema = schema_of("sag", fields)
    assert schema["properties"]["depth"]["description"] == DOC
    jsonschema.validate(document, schema)
    for wrong in ({"depth": "deep"}, {"deep": 1.0}, {"is_safe": 0.5}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document, **wrong}, schema)


def test_what_is_not_finite_is_null(sag):
    fields = of_result(Sag(np.array([np.inf, -np.inf, np.nan]), sag.machine))
    document = json.loads(json_text(with_units(sag.machine, fields, sag.machine.units)))
    assert document["depth"] == [None] * 3
    jsonschema.validate(document, schema_of("sag", fields))


def test_csv(sag):
    header, row = csv_text(columns(of_result(sag), sag.machine.units)).splitlines()
    assert header == "depth_x_mm,depth_y_mm,depth_z_mm,is_safe"
    assert row == "0,1,-2.75,yes"


def test_tables_of_people_notebook_and_docstring(sag):
    fields = of_result(sag, "depth")
    assert Show(sag.machine).pairs(fields) == [("sag", "(0.00, 1.00, −2.75) mm")]
    assert "<td>sag</td><td>0, 1, -2.75</td><td>mm</td>" in sag._repr_html_()
    assert f"{DOC.removesuffix('.')} [m]." in Sag.__doc__


def test_section_of_the_datasheet_and_viewer(sag):
    fields, show = of_result(sag), Show(sag.machine)
    section = Section("sag", "Sag", [facts(show, fields[:1])], fields=fields)
    page = filled("page.html", sag.machine, [], "", sections=[section])
    assert f'<dt title="{DOC}">Sag</dt><dd>(0.00, 1.00, −2.75) mm</dd>' in page
    assert f"<dt>depth</dt><dd>{DOC}</dd>" in page
    assert "(0.00, 1.00, −2.75) mm" in facts_of_viewer("At this pose", show.pairs(fields[:1]))


def test_page_of_definitions(sag, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    monkeypatch.delitem(sys.modules, "_site", raising=False)
    from _site.definitions import _table

    assert f"| `depth` | m | {DOC} |" in list(_table("gough sag", schema_of("sag", of_result(sag))))

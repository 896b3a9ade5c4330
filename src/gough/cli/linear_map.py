"""`gough linear-map`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import At, Figure, Json, MachineName, Options, Output, Sequences, Share, Si
from gough.present.answer import Answer, Field, Words, csv_columns, json_of
from gough.quantity import ALONG_AXES, AXES

if TYPE_CHECKING:
    pass


def linear_map(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    figure: Figure = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Matrix from platform displacements to joint displacements.

    T^-1, whose columns are the displacements of all joints by each of dx, dy,
    dz, dRx, dRy, dRz of the point of interest, with rotations by Rx Ry Rz
    about it; and its inverse T. At a pose given by options, or at home.
    --figure draws the error of the map.
    """
    import numpy as np

    given = Options(at=at, sequence=sequence, share=share, figure=figure, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m = request.any_machine
    found = gough.kinematics.linear_map(m, request.X_one)
    request.draw(lambda: gough.plot.linear_map_error(found))
    joints = [stage.legs.joint_unit for stage in m.stages]
    # Columns of CSV have one unit each: without it where the joints of two stages have different ones.
    units = [f"{joints[0]}/{si}" for si in ALONG_AXES] if len(set(joints)) == 1 else ""
    fields = [
        *csv_columns(leg=request.legs),
        Field("T_inv", found.T_inv, units, AXES, "T_inv_{}", is_json=False),
        *request.poses(found.X, is_csv=False),
        *json_of(found, "point"),
        *json_of(found, "T_inv", "T"),
    ]

    def words() -> Words:
        yield from found.tables()
        if np.isnan(found.T).any():
            yield "The map has no inverse: the pose is singular."

    request.write(Answer(fields, words))

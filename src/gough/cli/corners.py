"""`gough corners`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from typer import Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import Figure, Json, MachineName, Options, Output, Share, flag
from gough.present.answer import Answer, Field, Words, csv_columns, of_result
from gough.quantity import AXES

if TYPE_CHECKING:
    pass


def corners(
    context: Context, machine: MachineName,
    kind: Annotated[
        Literal["translation", "rotation"], Option(help="Which displacements move: x, y, z; or angles.")
    ] = "translation",
    strokes: Annotated[bool, flag("--strokes", "Count the strokes of the joints only, no other limit.")] = False,
    share: Share = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Eight corners of the range of translations or rotations.

    The range from home is a volume like a cube on its corner: what straight
    paths reach before a limit. Corner 1 is its lowest point on the z axis,
    8 its highest; 2 to 7 are farthest from that axis at azimuths of 60
    degrees from one another. Seen along z they are a hexagon, whose sides
    are equal for machines of three-fold symmetry limited by their strokes.
    """
    import numpy as np

    request = request_of(context, machine, Options(share=share, figure=figure, as_json=as_json, output=output))
    m = request.any_machine
    with request.progress("corners"):
        found = gough.regions.corners(m, kind, strokes_only=strokes)
    request.draw(lambda: gough.plot.corners(m, kind, result=found))
    names = AXES[:3] if kind == "translation" else AXES[3:]
    fields = [
        *csv_columns(corner=np.arange(1, 9)),
        *of_result(found, "points", labels=names, title="{}", head="{}"),
        *of_result(found, ("binding", "limit"), title="limit", head="ended by"),
        *of_result(found, "sides", labels=[str(k) for k in range(1, 7)], head="side {}", is_csv=False),
        *of_result(found, "azimuth", is_csv=False),
        Field("limits", [list(limits) for limits in found.binding_sets], is_csv=False),
    ]

    def words() -> Words:
        from gough.limits.ties import in_words
        from gough.regions.corners import PROVEN

        ended = [in_words(names) or one for names, one in zip(found.binding_sets, found.binding, strict=True)]
        numbers = [str(k) for k in range(1, 9)]
        yield request.show.table("corner", numbers, [fields[1], Field("", ended, head="ended by")])
        yield request.show.facts(fields[3:4])
        if found.gap > PROVEN[0]:
            by = f"by {found.gap:.0e} of the distance at most" if np.isfinite(found.gap) else "how far is not proven"
            yield f"Some path may reach farther from the axis than these corners: {by}."

    request.write(Answer(fields, words))

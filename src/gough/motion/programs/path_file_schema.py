"""Schema of path files in TOML, as pydantic models; numbers are in the file's units."""

from __future__ import annotations

from itertools import islice
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, model_validator

from gough.checks.arguments import checks_arguments
from gough.description.parse import toml
from gough.description.problems import MOST_PROBLEMS, complaint, cut, unknown_key
from gough.description.schema import Pose
from gough.description.schema_parts import NonNegative, Number, Positive, Sequence, Strict, Vector
from gough.errors import PathFileError
from gough.files import DOCUMENT, read_bounded

Place = Annotated[list[Number], Field(min_length=3, max_length=6)]
"""x, y, z, or x, y, z, a, b, c."""


class PathUnits(Strict):
    """Units of the file's numbers, by default those of the machine's file."""

    length: Literal["m", "cm", "mm", "um", "nm", "in", "ft"] | None = None
    angle: Literal["rad", "mrad", "urad", "deg", "arcmin", "arcsec"] | None = None
    time: Literal["s", "ms", "min"] = "s"


class Segment(Strict):
    """Keys common to all segments."""

    feed: Positive | None = Field(None, description="speed wanted of the moving frame's origin")
    turn_feed: Positive | None = Field(None, description="angular speed wanted")
    rapid: bool = Field(False, description="as quick as the machine goes, whatever the feeds")


class Line(Segment):
    """Straight line to a place, with the shortest rotation."""

    kind: Literal["line"]
    to: Vector = Field(description="where it ends")
    angles: Vector | None = Field(None, description="rotation there; default: unchanged")


class Arc(Segment):
    """Arc or helix: through a point to a place, or about an axis."""

    kind: Literal["arc"]
    through: Vector | None = Field(None, description="a point on the arc; with `to`")
    to: Vector | None = Field(None, description="where it ends; with `through`")
    centre: Vector | None = Field(None, description="a point of the axis; with `normal` and `angle`")
    normal: Vector | None = Field(None, description="direction of the axis")
    angle: Number | None = Field(None, description="how far to go about it, by the right hand")
    rise: Number = Field(0.0, description="displacement along the axis, for a helix")
    angles: Vector | None = Field(None, description="rotation at the end; default: unchanged")

    @model_validator(mode="after")
    def _one_of_both(self) -> Arc:
        by_point = self.through is not None and self.to is not None
        by_axis = self.centre is not None and self.normal is not None and self.angle is not None
        others = (self.centre, self.normal, self.angle) if by_point else (self.through, self.to)
        if by_point == by_axis or any(value is not None for value in others):
            raise ValueError("an arc is `through` and `to`, or `centre`, `normal` and `angle`")
        return self


class Via(Segment):
    """Straight lines through places."""

    kind: Literal["via"]
    points: list[Place] = Field(min_length=1, description="x, y, z, alone or with a, b, c")


class SplineSegment(Segment):
    """Spline through places, from the end of the segment before."""

    kind: Literal["spline"]
    points: list[Place] = Field(min_length=1, description="x, y, z, alone or with a, b, c")


class Rest(Strict):
    """Rest for a time."""

    kind: Literal["rest"]
    duration: NonNegative = Field(description="for how long")


class PathFile(Strict):
    """A path file: consecutive segments."""

    units: PathUnits = Field(PathUnits(), description="default: those of the machine's file, and s")
    moves: Literal["platform", "tool"] = Field("platform", description="the frame whose poses are given")
    frame: Pose | Literal["base", "home"] = Field(
        "base",
        description="in which poses are given: the base, where the moving frame is at home, or a pose in the base",
    )
    sequence: Sequence | None = Field(None, description="axes of angles, SciPy's spelling; needed where there are any")
    start: Place | None = Field(None, description="where the path begins; default: home")
    blend: NonNegative = Field(0.0, description="how far corners may be rounded")
    blend_angle: NonNegative | None = Field(None, description="the same in rotation")
    feed: Positive | None = Field(None, description="speed of segments that give none")
    turn_feed: Positive | None = Field(None, description="angular speed of segments that give none")
    segments: list[Annotated[Line | Arc | Via | SplineSegment | Rest, Field(discriminator="kind")]] = Field(
        min_length=1
    )

    @model_validator(mode="after")
    def _angles_mean_something(self) -> PathFile:
        places = [place for s in self.segments if isinstance(s, Via | SplineSegment) for place in s.points]
        places += [self.start] if self.start is not None else []
        if any(len(place) not in (3, 6) for place in places):
            raise ValueError("a place is three numbers x, y, z, or six with a, b, c")
        has_angles = any(len(place) == 6 for place in places)
        has_angles |= any(isinstance(s, Line | Arc) and s.angles is not None for s in self.segments)
        if has_angles and self.sequence is None:
            raise ValueError('Euler angles require `sequence`, e.g. "XYZ" (moving axes) or "xyz" (fixed ones)')
        return self


@checks_arguments
def read_path_file(path: str | FilePath) -> PathFile:
    """Read and validate a path file; `PathFileError` lists all problems.

    Parameters
    ----------
    path : str or Path
        Of a TOML file, see docs/part-programs.md.

    Returns
    -------
    PathFile
        Its contents, in its own units.

    Raises
    ------
    PathFileError
        Lists all problems in the file.
    InputError
        The file cannot be read.

    """
    try:
        text = read_bounded(path, DOCUMENT).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PathFileError(str(path), ["it is not a text file in UTF-8"]) from None
    return parse_path_file(text, str(path))


def parse_path_file(text: str, where: str = "the path") -> PathFile:
    """Parse the text of a path file, see `read_path_file`."""
    try:
        document = toml(text)
    except ValueError as error:
        raise PathFileError(where, [f"not valid TOML: {error}"]) from None
    try:
        return PathFile.model_validate(document)
    except ValidationError as error:
        meant = (detail for detail in error.errors() if not _is_other_branch(detail))
        raise PathFileError(where, [_sentence(detail) for detail in islice(meant, MOST_PROBLEMS)]) from None


_MODELS: dict[str, type[BaseModel]] = {"line": Line, "arc": Arc, "via": Via, "spline": SplineSegment, "rest": Rest}


def _sentence(detail: Any) -> str:
    """A validation error in words, with the segment and the key."""
    # Pydantic's location: ("segments", number, tag of the union, key, ...), or keys of the file itself.
    loc, model = list(detail["loc"]), PathFile
    place = ""
    if loc[:1] == ["segments"] and len(loc) > 1:
        place = f"segment {loc[1] + 1}"
        if len(loc) > 2 and loc[2] in _MODELS:
            place, model = f"{place} ({loc[2]})", _MODELS[loc[2]]  # type: ignore[assignment]
        loc = loc[3:]
    loc = [part for part in loc if part != "Pose" and not str(part).startswith("literal[")]  # branches of `frame`
    key = ".".join(f"[{part + 1}]" if isinstance(part, int) else cut(part) for part in loc).replace(".[", "[")
    where = ", ".join(part for part in (place, key) if part)
    kind = detail["type"]
    if kind == "extra_forbidden":
        message = unknown_key(str(loc[-1]), list(model.model_fields))
    elif kind.startswith("union_tag"):
        message = f"`kind` is one of {', '.join(_MODELS)}"
    elif kind == "too_long" and detail["ctx"]["max_length"] == 6:
        message = f"{detail['ctx']['actual_length']} values, expected 6 (x, y, z, a, b and c) at most"
    else:
        message = complaint(detail, expected_list=_LISTS.get(str(loc[-1]) if loc else "", "[x, y, z]"))
    return f"{where}: {message}" if where else message


_LISTS = {"points": "a list of places [x, y, z]", "segments": "tables, each headed [[segments]]"}


def _is_other_branch(detail: Any) -> bool:
    """Whether an error is that of the branch of `frame` that is not meant: its name, where a table is given, or the
    table."""
    loc, is_table = detail["loc"], isinstance(detail["input"], dict)
    if loc[:1] != ("frame",):
        return False
    return str(loc[1]).startswith("literal[") if is_table else loc[1:] == ("Pose",)

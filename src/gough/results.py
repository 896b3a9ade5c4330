"""Results are data: arrays with units. Rendering (`gough.present`) is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeAlias

if TYPE_CHECKING:
    import xarray

Quantities: TypeAlias = "Mapping[str, str | tuple[str, ...]]"
"""SI unit of each array by its name, or unit and names of its last dimensions; "1" is a pure number.

"q" stands for the unit of the machine's joint coordinate ("q/s" its rate), "m|rad" for displacements along and about
three axes each, which become two variables; "fastest.rotation" for the method `fastest("rotation")`.
"""


class Result:
    """Base of results: `dataset` has the arrays with their units, `str()` is one sentence, notebooks show a table."""

    __slots__ = ()
    QUANTITIES: ClassVar[Quantities] = {}
    HEADLINES: ClassVar[tuple[str, ...]] = ()
    """What the sentence tells; the first quantity where nothing is said."""

    @property
    def quantities(self) -> Quantities:
        """The arrays' SI units and dimensions."""
        return self.QUANTITIES

    @property
    def dataset(self) -> xarray.Dataset:
        """The arrays with units, in SI, and the names of their dimensions, for xarray and netCDF."""
        from gough.present.results import dataset_of

        return dataset_of(self)

    def __str__(self) -> str:
        from gough.present.results import headline

        return headline(self)

    def _repr_html_(self) -> str:
        from gough.present.results import result_html

        return result_html(self)

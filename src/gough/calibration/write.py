"""Files of a calibrated machine: its machine file, and the covariance of its errors next to it."""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from pathlib import Path

import numpy as np

from gough.calibration.result import Calibration
from gough.checks.arguments import checks_arguments
from gough.description.write import written
from gough.errors import InputError
from gough.files import stem_of, write_whole


@checks_arguments
def write(
    calibration: Calibration,
    file: str | Path,
    *,
    like: str | Path,
    data: str | Path | None = None,
    doubtful: bool = False,
) -> Path:
    """Write the calibrated machine file, and next to it the covariance of its errors in netCDF.

    Parameters
    ----------
    calibration : Calibration
    file : str or Path
        The machine file to write.
    like : str or Path
        File or built-in name of the machine as drawn, from which all that is not calibrated is copied.
    data : str or Path, optional
        File of the measurements, whose name and hash are recorded.
    doubtful : bool
        Whether a calibration with `Calibration.doubts` is written too.

    Returns
    -------
    Path
        Of the covariance: `file` with the ending .nc.

    Raises
    ------
    InputError
        A calibration that is not a good fit; a file that cannot be written; `MachineFileError` where the calibrated
        numbers describe no machine.

    """
    from gough.present.write import netcdf

    if calibration.doubts and not doubtful:
        raise InputError(
            f"nothing is written to {file}: not a good fit: {'; '.join(calibration.doubts)}; --save-doubtful "
            "(doubtful=True) writes it nonetheless"
        )
    target = Path(file)
    beside = target.with_suffix(".nc")
    m = calibration.nominal
    by_leg, metres = {when: calibration.rms_by_leg(when) for when in ("before", "after")}, m.units.metres
    source = Path(data) if data is not None and str(data) != "-" else None
    history = {
        "date": date.today().isoformat(),
        "data": "" if source is None else source.name,
        "sha256": "" if source is None else sha256(source.read_bytes()).hexdigest(),
        "rows": int(calibration.kept.sum()),
        "rms": float(calibration.rms / metres),
        "covariance": beside.name,
        "undetermined": [each for each in (*calibration.undetermined, calibration.noise_assumed) if each],
    }
    if np.isfinite(by_leg["before"]).all() and np.isfinite(by_leg["after"]).all():
        history |= {name: (values / metres).tolist() for name, values in by_leg.items()}
    name = stem_of(m.name)
    name = name if name.endswith("-calibrated") else f"{name}-calibrated"
    text = written(calibration.machine, like, name=name, calibration=history)
    # The covariance first: a machine file never names a covariance that is not there.
    write_whole(beside, netcdf(calibration.dataset, name))
    write_whole(target, text)
    return beside

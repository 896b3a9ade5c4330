"""Tables as people write them."""

import numpy as np


def spelled(rng, names, units, rows, time=None):
    """A table as a person may have written it: order, case, units, delimiter, decimals, blanks, remarks, line ends."""
    delimiter = rng.choice([",", ";", "\t", " "])
    is_comma = delimiter in ";\t" and rng.random() < 0.5
    mark = rng.choice(["{}_{}", "{} [{}]", "{} ({})", "{}[{}]", "{}"])
    titles = [mark.format(rng.choice([name, name.upper(), name.capitalize()]), unit) for name, unit in units.items()]
    cells = [[f"{value!r}".replace(".", "," if is_comma else ".") for value in row] for row in rows.tolist()]
    order = rng.permutation(len(names))
    if rng.random() < 0.5 and delimiter != " ":
        titles.append("id")
        cells = [[*row, f'"leg{delimiter} {k}"'] for k, row in enumerate(cells)]
        order = np.append(order, len(names))
    lines = [delimiter.join(row[k] for k in order) for row in [titles, *cells]]
    for _ in range(int(rng.integers(4))):
        remark = rng.choice(["", "  ", "# measured; today, \t by hand", "% x", '// "open', delimiter * 3])
        lines.insert(int(rng.integers(len(lines) + 1)), str(remark))
    if rng.random() < 0.2:
        lines[1:1] = [""]
    end = rng.choice(["\n", "\r\n", "\r"])
    return ("\ufeff" if rng.random() < 0.3 else "") + end.join(lines) + (end if rng.random() < 0.7 else "")

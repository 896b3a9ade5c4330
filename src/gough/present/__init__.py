"""How results are shown: units, rounding, tables, CSV, JSON, netCDF and HTML. Nothing else writes numbers out."""

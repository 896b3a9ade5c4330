"""Machine files: parse TOML, check it, build a `Machine` in SI, describe and write it."""

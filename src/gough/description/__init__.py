"""Machine files: from TOML to a checked `Machine` in SI, and back to words."""

"""Calibrations against truth: `python -m tests.calibration 1000` repeats them with noise, the suite a small part."""

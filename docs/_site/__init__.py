"""What the site needs beside Sphinx: run examples, draw figures, write pages from the code, set formulas."""

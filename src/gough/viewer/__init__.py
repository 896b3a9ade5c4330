"""A page to play with: a machine in the browser, moved by hand."""

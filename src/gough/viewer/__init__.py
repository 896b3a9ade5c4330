"""The viewer: a machine on a local web page, to move, to ask and to play with.

`server` opens and closes the page, `view` puts it together; one file for each thing it shows or lets do. What it
computes it computes through the public face; it draws with the shapes of `gough.plot`. Nothing imports it but the
command line.
"""

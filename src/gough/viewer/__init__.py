"""The viewer: a machine on a local web page, to move and load it, and to play motions.

`store` holds the state, one value; `scene` draws it; `panels` show it and change it, each a list of declarations for
the builder in `panels.panel`; `scheduler` decides when. `view` composes these, `server` serves the page, and `page`
opens it by one call, `gough.view`.
"""

"""The viewer: a machine on a local web page, that one moves, loads and plays motions with.

`store` holds the state, one value; `scene` draws it, `panels` show it and post changes of it, `scheduler` says when.
`view` puts these together, `server` serves the page. `page` opens it by one call, `gough.view`.
"""

"""The base of results: data that say what they are, and show themselves."""

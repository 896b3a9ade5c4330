"""A second reader of machine files, independent of the product: see README.md beside this file."""

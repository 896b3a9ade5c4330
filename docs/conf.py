"""How Sphinx builds the site. Run `scripts/docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from _site import fragments, gallery, pictures, sources  # noqa: E402

import gough  # noqa: E402

project = "Gough"
author = "The Gough developers"
copyright = "the Gough developers, Apache-2.0"
version = release = gough.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "_site.mathml",
    "_site.api",
    "_site.docstrings",
    "_site.figures",
    "_site.values",
]
exclude_patterns = ["_generated/*", "gallery/**/*.ipynb", "gallery/**/*.py", "sg_execution_times.rst"]
suppress_warnings = ["config.cache", "myst.xref_ambiguous"]
nitpicky = False
keep_warnings = True
smartquotes = False  # `--json` is no dash
add_module_names = True
toc_object_entries = False
maximum_signature_line_length = 90

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_typehints = "none"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_preprocess_types = False

html_theme = "furo"
html_title = f"Gough {release}"
html_static_path = ["_static", str(fragments.scripts())]
html_css_files = ["gough.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#c2410c", "color-brand-content": "#c2410c"},
    "dark_css_variables": {"color-brand-primary": "#fb923c", "color-brand-content": "#fb923c"},
    "navigation_with_keys": True,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": [str(sources.prepared())],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[/\\][\w-]+\.py$",
    "ignore_pattern": r"__init__|mechanisms[/\\]",
    "image_scrapers": (gallery.drawn_figures,),
    "reset_modules": (gallery.record_figures,),
    "abort_on_example_error": True,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "show_memory": False,
    "download_all_examples": False,
    "subsection_order": sources.ordered(),
    "within_subsection_order": "FileNameSortKey",
    "copyfile_regex": "",
    "capture_repr": (),
    "plot_gallery": "True",
    "backreferences_dir": None,
    "parallel": sources.processes(),
}

fragments.write_all(HERE / "_generated")


def setup(app):
    """Pictures that were begun with the build are needed once pages are read, after the gallery."""
    app.connect("source-read", sources.led_to_cards)
    app.connect("env-before-read-docs", lambda *_: pictures.wait())

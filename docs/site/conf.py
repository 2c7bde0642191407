"""Sphinx settings of the site: `make site` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import gascl

sys.path.insert(0, str(Path(__file__).parent))

project = "gascl"
author = "The gascl authors"
copyright = author
release = version = gascl.__version__

extensions = [
    "mermaid",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]

# Anchors as on GitHub, so that links work in the repository, too.
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]

# The notebooks are kept without output, and run as the site is built.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# Docstrings put names in single backquotes, as Markdown does.
default_role = "code"
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say what is accepted
autodoc_inherit_docstrings = False
napoleon_use_rtype = False
napoleon_use_ivar = True

lexers["csv"] = TextLexer()

html_theme = "furo"
html_title = f"gascl {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_permalinks_icon = "#"
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"

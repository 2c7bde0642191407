"""A directive that renders a Mermaid diagram as the site is built: no page needs a script."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import mmdr
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx


class Mermaid(Directive):
    """A diagram as an SVG file beside the pages."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        env = self.state.document.settings.env
        name = f"diagram-{hashlib.sha256(source.encode()).hexdigest()[:12]}.svg"
        (Path(env.srcdir) / name).write_text(mmdr.render(source).svg(), "utf-8")
        image = nodes.image(uri=f"/{name}", alt="diagram")
        image.source, image.line = self.state_machine.get_source_and_line(self.lineno)
        return [nodes.container("", image, classes=["diagram"])]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True}

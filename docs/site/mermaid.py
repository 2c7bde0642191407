"""A directive that renders a Mermaid diagram as the site is built: no page needs a script."""

from __future__ import annotations

import hashlib
import re
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
        (Path(env.srcdir) / name).write_text(sized(mmdr.render(source).svg()), "utf-8")
        image = nodes.image(uri=f"/{name}", alt="diagram")
        image.source, image.line = self.state_machine.get_source_and_line(self.lineno)
        return [nodes.container("", image, classes=["diagram"])]


def sized(svg: str) -> str:
    """The diagram with a width at which its letters are as large as those of the pages, or nearly,
    instead of as wide as what is around it."""
    wide = float(re.search(r"max-width:([\d.]+)px", svg)[1])
    return svg.replace('width="100%"', f'width="{0.75 * wide:.0f}"', 1)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("mermaid", Mermaid)
    return {"parallel_read_safe": True}

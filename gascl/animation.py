"""`animate`: a program's supersteps as a film, by matplotlib's animations."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gascl.drawing.arguments import (
    check_names,
    color_of,
    colors_of,
    fields_of,
    is_color,
    no_field,
    positions_of,
    size_of,
    texts_of,
)
from gascl.drawing.picture import Look, paint
from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.language.stage_discovery import inner_programs
from gascl.results.plots import pyplot
from gascl.results.result import Result
from gascl.results.snapshot import Snapshot
from gascl.run.engine import Engine
from gascl.util.atomic_file import check_writable, new_file
from gascl.util.paths import checked_path
from gascl.util.progress import Progress

#: The most vertices, and the most frames: each frame is drawn again, and kept in the file.
VERTICES, FRAMES = 10_000, 500
#: The formats, by the ending of the file's name.
ENDINGS = (".gif", ".mp4", ".html")
#: The width of the ring around active vertices, in points.
RING = 1.5
#: matplotlib's HTML fetches the icons of its buttons from the network: the characters used instead.
_ICONS = {
    "minus": "\N{MINUS SIGN}",
    "fast-backward": "|\N{WHITE LEFT-POINTING TRIANGLE}",
    "step-backward": "\N{WHITE LEFT-POINTING TRIANGLE}",
    "play fa-flip-horizontal": "\N{BLACK LEFT-POINTING TRIANGLE}",
    "pause": "||",
    "play": "\N{BLACK RIGHT-POINTING TRIANGLE}",
    "step-forward": "\N{WHITE RIGHT-POINTING TRIANGLE}",
    "fast-forward": "\N{WHITE RIGHT-POINTING TRIANGLE}|",
    "plus": "+",
}
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
{body}
</html>
"""


class _Frame(NamedTuple):
    """One picture.

    Attributes:
        color, size: as `color_of` and `size_of` return them.
        mask: bool (V,), the vertices to be emphasized.
    """

    title: str
    color: Any
    size: Any
    mask: np.ndarray


class Animation:
    """A run as a film, such as its supersteps, one frame each. A notebook shows it.

    Attributes:
        result: the Result of the run.
        frames_per_second: the speed.
    """

    def __init__(
        self,
        result: Result,
        frames: int,
        figure: Callable[[], tuple[Any, Callable[[int], None]]],
        frames_per_second: float,
    ):
        """`figure` makes a figure, and what turns it into one of the frames, by its number."""
        self.result, self.frames_per_second = result, frames_per_second
        self._frames, self._figure = frames, figure

    def __len__(self) -> int:
        """The number of frames."""
        return self._frames

    def __repr__(self) -> str:
        return f"Animation({len(self)} frames of {self.result!r})"

    def save(self, path: str | Path, *, progress: Progress | None = None) -> None:
        """Write it as .gif, .mp4 or .html. The HTML needs no other file and no network.

        An existing file is replaced only when the new one is complete.

        Args:
            progress: shows how many frames are drawn.

        Raises:
            GasclError: the name has another ending, or ffmpeg, which writes .mp4, is missing or
                fails.
            FormatError: the file cannot be written; an existing one is unchanged.
        """
        path = checked_path(path)
        check_format(path)
        check_writable(path)
        if path.suffix == ".html":
            page = _PAGE.format(title=escape(path.stem), body=self._html(progress))
            data = page.encode()
        else:
            data = self._written(path.suffix, progress)
        with new_file(path) as file:
            file.write(data)

    def _repr_html_(self) -> str:
        return self._shown

    @cached_property
    def _shown(self) -> str:
        return self._html(None)

    def _html(self, progress: Progress | None) -> str:
        """The animation as a part of a page, with buttons."""
        text = self._written(".html", progress).decode()
        text = re.sub(r"<link\b[^>]*>", "", text)
        return re.sub(
            r'<i class="fa fa-([\w -]+)"></i>', lambda icon: _ICONS.get(icon[1], icon[1]), text
        )

    def _written(self, ending: str, progress: Progress | None) -> bytes:
        """The content of a file in one of the formats."""
        from matplotlib.animation import FFMpegWriter, FuncAnimation, HTMLWriter, PillowWriter

        kinds: dict[str, Any] = {".gif": PillowWriter, ".mp4": FFMpegWriter, ".html": HTMLWriter}
        # HTML leaves out frames beyond a limit, in MiB, which is 20 unless it is given.
        more = {"embed_frames": True, "embed_limit": 2**20} if ending == ".html" else {}
        writer = kinds[ending](fps=self.frames_per_second, **more)

        def drawn(number: int, total: int) -> None:
            if progress:
                progress.at(number + 1)

        if progress:
            progress.begin("drawing", len(self), "frames")
        figure, show = self._figure()
        # Without an init_func, it would draw the first frame twice.
        film = FuncAnimation(figure, show, frames=len(self), init_func=lambda: None)
        with tempfile.TemporaryDirectory(prefix="gascl-") as folder:
            file = Path(folder, f"film{ending}")
            try:
                film.save(file, writer=writer, progress_callback=drawn)
            except subprocess.CalledProcessError as error:
                why = (error.stderr or "").strip().splitlines()
                raise GasclError(
                    f"ffmpeg failed with exit code {error.returncode}"
                    f"{': ' + why[-1] if why else ''}; save a .gif or .html instead"
                ) from None
            return file.read_bytes()


def animate(
    program: VertexProgram,
    graph: Graph,
    *,
    color: Any = None,
    size: Any = None,
    labels: Any = None,
    position: Any = None,
    cmap: Any = None,
    seed: int = 0,
    device: Any = None,
    max_supersteps: int | None = None,
    frames_per_second: float = 2.0,
) -> Animation:
    """Run a program, and show its supersteps as an animation, as `draw` shows its result.

    The first frame is the initial state, and each other one the state after a superstep. The title
    says which superstep is next; the vertices that scatter in it have a ring, unless all do. All
    frames have the same layout, and the same scale of colors and areas. Of a program of several
    stages, there is a frame for each state that has the fields that are shown. The last frame is
    the result.

    Args:
        color, size, labels, cmap: as in `draw`, with the fields of the program. The default of
            `color` is the first field with one number per vertex, as in `gascl run`.
        position: where the vertices are, (V, 2), an array or a field's name; of a field of the
            program, its values at the end.
        seed: of the layout.
        device: where the program runs and the layout is computed, as in `Engine`.
        max_supersteps: as in `Engine.run`.
        frames_per_second: the speed.

    Returns:
        An Animation, which notebooks show; `save` writes it as .gif, .mp4 or .html.

    Raises:
        GasclError: matplotlib is missing; the graph has more than 10,000 vertices, or the run more
            than 500 frames; or an argument is not as above.
    """
    if not isinstance(graph, Graph):
        raise GasclError(f"animate takes a program and a Graph, not {type(graph).__name__}")
    if not frames_per_second > 0:
        raise GasclError(f"frames_per_second must be above 0, not {frames_per_second!r}")
    check_size(graph)
    pyplot()  # before the run
    engine = Engine(graph, device)
    steps = engine.steps(program, max_supersteps=max_supersteps)  # refuses what is no program
    color = program.spec.first_scalar(program.dtype) if color is None else color
    programs = [type(program), *(inner_programs(type(program)) if program.spec.composite else ())]
    check_names(programs, graph, color=color, size=size, position=position)
    texts = texts_of(graph, labels)
    frames = []
    for step in steps:
        if all(name in fields_of(step) for name in _names(color, size)):
            frames.append(_frame(step, color, size))
        if len(frames) > FRAMES:
            raise GasclError(
                f"the run has more than {FRAMES} frames, the most of an animation: give "
                f"max_supersteps={FRAMES - 1}, or less"
            )
    result = steps.result
    assert result
    if not program.spec.composite:
        frames.pop()  # the last state is the result
    if all(name in fields_of(result) for name in _names(color, size)):
        none = np.zeros(graph.num_vertices, bool)
        title = f"the result, after {result.supersteps:,} supersteps"
        frames.append(_Frame(title, color_of(result, color), size_of(result, size), none))
    if not frames:
        raise no_field("color", str(color), fields_of(result))
    at = positions_of(result, position, seed, device)
    colors = colors_of(result, color, _stacked([frame.color for frame in frames]), cmap)
    sizes = _stacked([frame.size for frame in frames])
    look = Look(graph, at, position is None, sizes, texts, colors)
    return Animation(result, len(frames), lambda: _figure(look, frames), frames_per_second)


def check_size(graph: Graph) -> None:
    """Raise GasclError if a graph cannot be animated."""
    if not graph.num_vertices:
        raise GasclError("the graph has no vertices: there is nothing to animate")
    if graph.num_vertices > VERTICES:
        raise GasclError(
            f"the graph has {graph.num_vertices:,} vertices, and an animation shows up to "
            f"{VERTICES:,}: animate a part of it, graph.subgraph([...]), or draw the result of the "
            "run, gascl.draw(result)"
        )


def check_format(path: Path) -> None:
    """Raise GasclError if an animation cannot be written to a file of this name."""
    from matplotlib.animation import FFMpegWriter

    if path.suffix not in ENDINGS:
        raise GasclError(f"{path}: the name of an animation must end in {', '.join(ENDINGS)}")
    if path.suffix == ".mp4" and not FFMpegWriter.isAvailable():
        raise GasclError(
            f"{path}: .mp4 needs the program ffmpeg, which is not on the PATH: install it (apt, "
            "brew, winget and conda have a package ffmpeg), or save a .gif or .html instead"
        )


def _names(*given: Any) -> list[str]:
    """Those of the arguments that name fields."""
    return [name for name in given if isinstance(name, str) and not is_color(name)]


def _frame(step: Snapshot, color: Any, size: Any) -> _Frame:
    stage = f"{step.program}, " if step.program else ""
    title = f"{stage}superstep {step.superstep:,}: {step.active:,} of {len(step.mask):,} active"
    mask = step.mask & ~step.mask.all()
    return _Frame(title, color_of(step, color), size_of(step, size), mask)


def _stacked(values: list[Any]) -> Any:
    """(frames, V), or the one value of all frames."""
    return np.stack(values) if isinstance(values[0], np.ndarray) else values[0]


def _figure(look: Look, frames: list[_Frame]) -> tuple[Any, Callable[[int], None]]:
    """A figure, and what turns it into one of the frames."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    shown = "c" in look.colors.style
    first = look.colors.of(0) if shown else look.colors
    vertices, areas = paint(ax, replace(look, colors=first))
    every = np.broadcast_to(areas, (len(frames), look.graph.num_vertices))
    vertices.set_edgecolor("black")
    title = ax.set_title(frames[0].title)
    figure.canvas.draw()
    figure.set_layout_engine("none")  # the graph stays where it is, whatever the title

    def show(number: int) -> None:
        frame = frames[number]
        title.set_text(frame.title)
        vertices.set_linewidths(np.where(frame.mask, RING, 0.0))
        vertices.set_sizes(every[number])
        if shown:
            vertices.set_array(look.colors.style["c"][number])

    show(0)
    return figure, show

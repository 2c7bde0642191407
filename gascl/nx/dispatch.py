"""The functions of the backend, each with what it declines and where it pays."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import networkx as nx

from gascl.errors import DeviceError, GasclError, warn
from gascl.nx.converted_graph import Converted, converted_before, current, log

#: Of NetworkX: its major and minor number, also of a release candidate such as "3.7rc0".
VERSION = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))

#: By NetworkX's name.
FUNCTIONS: dict[str, Function] = {}

#: What a check returns: True, or the reason why not.
Verdict = bool | str


class Function:
    """A function of the backend, which takes `Converted` where NetworkX's takes a graph.

    Errors of gascl become NotImplementedError, upon which NetworkX runs its own function.

    Attributes:
        name: the name in NetworkX's registry, which differs where two functions share one.
        first: with fewer edges NetworkX is faster; None: it always is.
        cached: the same once the graph has been converted.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, first: int | None, cached: int | None
    ):
        update_wrapper(self, function)
        self.name, self.first, self.cached = name, first, cached
        self._function = function
        self._signature = inspect.signature(function)
        self._first = next(iter(self._signature.parameters))
        self._check: Callable[..., str] | None = None
        self._worth: Callable[..., str] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        G = self.graph(args, kwargs)
        if isinstance(G, Converted):
            args, kwargs = (current(G), *args[1:]), {**kwargs}
            kwargs.pop(self._first, None)
        try:
            result = self._function(*args, **kwargs)
        except DeviceError as error:
            warn(f"gascl could not run {self.name}: {error}", RuntimeWarning)
            raise NotImplementedError(f"gascl: {error}") from error
        except GasclError as error:
            log.info("%s: left to NetworkX: %s", self.name, error)
            raise NotImplementedError(f"gascl: {error}") from error
        log.info("%s: ran in %.3f s", self.name, time.perf_counter() - began)
        return result

    def unless(self, check: Callable[..., str]) -> Callable[..., str]:
        """Decorates a function with the same parameters that returns what it does not support, a
        noun; "" if it takes them."""
        self._check = check
        return check

    def worth(self, check: Callable[..., str]) -> Callable[..., str]:
        """Decorates a function with the same parameters that returns why it does not pay; with "",
        the number of edges decides."""
        self._worth = check
        return check

    def can_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether it can run; or why not."""
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError as error:  # newer versions of NetworkX may have more parameters
            return f"gascl does not take these arguments: {error}"
        reason = self._ask(self._check, args, kwargs) if self._check else ""
        return f"gascl does not support {reason}" if reason else True

    def should_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether NetworkX would be slower; or why not."""
        reason = self._ask(self._worth, args, kwargs) if self._worth else ""
        if reason:
            return reason
        G = self.graph(args, kwargs)
        cached = isinstance(G, Converted) or converted_before(G) is not None
        least = self.cached if cached else self.first
        if least is None:
            return "NetworkX is faster" + ("" if cached else " than the conversion")
        return too_few(G, least) or True

    def graph(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The graph among the arguments: the first parameter."""
        return args[0] if args else kwargs[self._first]

    def _ask(self, check: Callable[..., str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return check(*bound.args, **bound.kwargs)


def backend_function(
    *, first: int | None, cached: int | None, name: str = ""
) -> Callable[[Callable[..., Any]], Function]:
    """Decorates a function of the backend, which has the name and parameters of NetworkX's.

    Args:
        first, cached: the number of edges from which it pays, as in `Function`.
        name: where NetworkX registers it by another name.
    """

    def register(function: Callable[..., Any]) -> Function:
        made = Function(function, name or function.__name__, first, cached)
        FUNCTIONS[made.name] = made
        return made

    return register


def too_few(G: Any, least: int, what: str = "") -> str:
    """Why a graph with fewer than `least` edges does not pay; "" if it has as many.

    Args:
        what: of calls that need more edges than others of their function.
    """
    edges = num_edges(G)
    if edges >= least:
        return ""
    return f"{edges:,} edges: NetworkX is faster{what and f' {what}'} below about {least:,}"


def num_edges(G: Any) -> int:
    """About the number of edges of a graph, quickly: loops of undirected graphs count half."""
    if isinstance(G, Converted):
        return G.number_of_edges()
    if (topology := converted_before(G)) is not None:
        return topology.num_edges
    if G.is_multigraph():
        return int(G.number_of_edges())
    entries = sum(map(len, G._adj.values()))
    return entries if G.is_directed() else entries // 2

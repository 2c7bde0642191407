"""The registry of the backend's functions: which calls each supports, and which it speeds up."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import update_wrapper
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

import networkx as nx

from gascl.errors import DeviceError, GasclError, warn
from gascl.nx.converted_graph import Converted, Made, converted_before, current, log

#: The major and minor version of NetworkX, also of a release candidate such as "3.7rc0".
VERSION = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))

#: By NetworkX's name.
FUNCTIONS: dict[str, Function] = {}

#: What NetworkX expects of `can_run` and `should_run`: True, or the reason why not.
Verdict = bool | str


class Call(SimpleNamespace):
    """The arguments of a call, defaults included, by the names of NetworkX's parameters."""

    G: Any

    @property
    def is_converted(self) -> bool:
        """Whether the graph needs no conversion."""
        return isinstance(self.G, Converted) or converted_before(self.G) is not None

    @property
    def num_edges(self) -> int:
        """About the number of edges, quickly: loops of undirected graphs count half."""
        G = self.G
        if isinstance(G, Converted):
            return G.number_of_edges()
        if (topology := converted_before(G)) is not None:
            return topology.num_edges
        if G.is_multigraph():
            return int(G.number_of_edges())
        entries = sum(map(len, G._adj.values()))
        return entries if G.is_directed() else entries // 2

    def too_few_edges(self, least: int, condition: str = "") -> str:
        """Why a graph with fewer than `least` edges is left to NetworkX; "" if it has as many.

        Args:
            condition: which calls need more edges than other calls of their function.
        """
        edges = self.num_edges
        if edges >= least:
            return ""
        space = " " if condition else ""
        return f"{edges:,} edges: NetworkX is faster{space}{condition} below about {least:,}"


#: Returns why a call is left to NetworkX; "" if it is not.
Check = Callable[[Call], str]


class Function:
    """A function of the backend, which takes `Converted` where NetworkX's takes a graph.

    Errors of gascl become NotImplementedError, upon which NetworkX runs its own function, unless
    the caller has asked for gascl alone by `backend="gascl"`.

    Attributes:
        name: the name in NetworkX's registry.
        names: the names in all versions of NetworkX.
        module: the name of the module that defines it.
        first: the number of edges below which NetworkX is faster; None: it always is.
        cached: the same for graphs that have been converted.
        limits: what differs from NetworkX's function, for the documentation.
        numpy: NumPy computes it; no device is used.
        random: NetworkX's answer depends on random numbers, and this one differs: NetworkX runs its
            own function, unless the caller asks for gascl.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        names: tuple[str, ...],
        first: int | None,
        cached: int | None,
        limits: str,
        numpy: bool,
        random: bool,
        unsupported: Iterable[Check],
        slower: Iterable[Check],
    ):
        update_wrapper(self, function)
        self.names, self.name = names, names[0]
        self.module = function.__module__.rpartition(".")[2]
        self.first, self.cached, self.limits = first, cached, limits
        self.numpy, self.random = numpy, random
        self._function, self._signature = function, inspect.signature(function)
        self.parameters = self._signature.parameters
        self._unsupported, self._slower = tuple(unsupported), tuple(slower)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        arguments = self._signature.bind(*args, **kwargs).arguments
        if isinstance(arguments["G"], Converted):
            arguments["G"] = current(arguments["G"])
        try:
            result = self._function(**arguments)
        except DeviceError as error:
            log.info("%s: declined: %s", self.name, error)
            warn(f"gascl could not run {self.name}: {error}", RuntimeWarning)
            raise NotImplementedError(f"gascl: {error}") from error
        except GasclError as error:
            log.info("%s: declined: %s", self.name, error)
            raise NotImplementedError(f"gascl: {error}") from error
        except NotImplementedError as error:
            log.info("%s: declined: gascl does not support %s", self.name, error)
            raise
        log.info("%s: ran in %.3f s", self.name, time.perf_counter() - start)
        return result

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The arguments by name.

        Raises:
            TypeError: they are not this function's.
        """
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return Call(**bound.arguments)

    def can_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether the call is supported, or why not."""
        try:
            call = self.call(args, kwargs)
        except TypeError as error:  # newer versions of NetworkX may have more parameters
            return f"gascl does not take these arguments: {error}"
        reason = _first_reason(self._unsupported, call)
        return f"gascl does not support {reason}" if reason else True

    def should_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether NetworkX would be slower, or why not."""
        if self.random:
            return "its answers differ from NetworkX's, which are random; backend='gascl' runs it"
        call = self.call(args, kwargs)
        if reason := _first_reason(self._slower, call):
            return reason
        least = self.cached if call.is_converted else self.first
        if least is None:
            return "NetworkX is faster" + ("" if call.is_converted else " than the conversion")
        return call.too_few_edges(least) or True


def _first_reason(checks: Iterable[Check], call: Call) -> str:
    return next(filter(None, (check(call) for check in checks)), "")


def backend_function(
    *,
    first: int | None,
    cached: int | None,
    limits: str = "",
    numpy: bool = False,
    random: bool = False,
    unsupported: Iterable[Check] = (),
    slower: Iterable[Check] = (),
    names: tuple[str, ...] = (),
    also: str = "",
) -> Callable[[Callable[..., Any]], Function]:
    """Decorates a function of the backend, which has the name and parameters of NetworkX's.

    Args:
        first, cached, limits, numpy, random: as in `Function`.
        unsupported: each returns what the backend does not support, a noun phrase.
        slower: each returns why NetworkX is faster, whatever the number of edges.
        names: those in all versions of NetworkX, that of the installed one first, where they
            are not the function's name.
        also: another function of NetworkX with the same parameters and results, on graphs of
            another kind perhaps.
    """

    def register(function: Callable[..., Any]) -> Function:
        how = (first, cached, limits, numpy, random, unsupported, slower)
        registered = Function(function, names or (function.__name__,), *how)
        FUNCTIONS[registered.name] = registered
        if also:
            FUNCTIONS[also] = Function(function, (also,), *how)
        return registered

    return register


def started(results: Iterator[Made], count: int = 1) -> Iterator[Made]:
    """The iterator, whose first `count` results are computed now: errors must be raised before
    NetworkX receives it."""
    return chain(list(islice(results, count)), results)


def argument(*names: str, reason: str = "") -> Check:
    """Checks that none of these arguments is passed; the reason is the name of one by default."""

    def check(call: Call) -> str:
        passed = (name for name in names if getattr(call, name) is not None)
        return next((reason or f"`{name}`" for name in passed), "")

    return check


def callable_weight(name: str = "weight") -> Check:
    """Checks that the argument which names a weight is no function."""

    def check(call: Call) -> str:
        return "a function as weight" if callable(getattr(call, name)) else ""

    return check


def one_step(name: str) -> Check:
    """Checks that the argument which limits the depth of a search leaves more than neighbors."""

    def check(call: Call) -> str:
        depth = getattr(call, name)
        return "" if depth is None or depth > 1 else f"NetworkX is faster with {name}={depth}"

    return check


def multigraph(call: Call) -> str:
    """Checks that the graph is no multigraph."""
    return "multigraphs" if call.G.is_multigraph() else ""


def directed(call: Call) -> str:
    """Checks that the graph is undirected."""
    return "directed graphs" if call.G.is_directed() else ""


def collections(given: Any, what: str) -> str:
    """Checks that sets of nodes can be read again, by NetworkX if it runs the call in the end.

    Args:
        what: they are called so, in the plural.
    """
    kept = isinstance(given, Collection) and all(isinstance(each, Collection) for each in given)
    return "" if kept else f"{what} that can be read only once"


def missing_node(call: Call) -> str:
    """Checks that the node `n` is in the graph."""
    return "" if call.n in call.G else "a node that is not in the graph"

"""The registry of the backend's functions: which calls each supports, and which it speeds up."""

from __future__ import annotations

import inspect
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, update_wrapper
from itertools import chain, islice
from typing import Any

import networkx as nx
from networkx.utils.backends import _registered_algorithms

from gascl.errors import DeviceError, GasclError, warn
from gascl.nx import calibration
from gascl.nx.converted_graph import Converted, Made, converted_before, current, log
from gascl.nx.edge_list import stored_edges

#: The major and minor version of NetworkX, also of a release candidate such as "3.7rc0".
VERSION = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))

#: By NetworkX's name.
FUNCTIONS: dict[str, Function] = {}

#: Of a result that is made item by item, NetworkX makes those that come within so many seconds,
#: about the time of a run; more for each node of a graph that must be converted.
PATIENCE, PER_NODE = 5e-3, 3e-6

#: Edges are not counted where there would have to be more at each node.
DENSE = 64
#: The edges of fewer nodes are counted in some 10 µs.
FEW_NODES = 500

#: The function that a thread has chosen by `should_run` for the call that comes next, if any:
#: NetworkX does not say whether it has asked.
_asked = threading.local()

#: What NetworkX expects of `can_run` and `should_run`: True, or the reason why not.
Verdict = bool | str


class Call:
    """The arguments of a call, defaults included, by the names of NetworkX's parameters.

    Args:
        scale: what numbers of edges are multiplied by, see calibration.py.
    """

    G: Any

    def __init__(self, arguments: dict[str, Any], scale: float = 1.0):
        self.__dict__, self._scale = arguments, scale

    def __getattr__(self, name: str) -> Any:  # for type checkers: arguments are found without it
        raise AttributeError(name)

    @property
    def is_converted(self) -> bool:
        """Whether the graph needs no conversion."""
        return self._converted_edges is not None

    @cached_property
    def num_edges(self) -> int:
        """About the number of edges, quickly: loops of undirected graphs count half."""
        G = self.G
        if self._converted_edges is not None:
            return self._converted_edges
        if G.is_multigraph():
            return int(G.number_of_edges())
        entries = sum(map(len, G._adj.values()))
        return entries if G.is_directed() else entries // 2

    @cached_property
    def _converted_edges(self) -> int | None:
        """The number of edges, if the graph needs no conversion."""
        G = self.G
        if isinstance(G, Converted):
            return G.number_of_edges()
        if (stored := stored_edges(G)) is not None:
            return len(stored)
        topology = converted_before(G)
        return topology.num_edges if topology is not None and topology.is_read else None

    def too_few_edges(self, least: int, condition: str = "") -> str:
        """Why a graph with too few edges is left to NetworkX; "" if it has enough.

        Args:
            least: the number of edges that are enough, before scaling.
            condition: which calls need more edges than other calls of their function.
        """
        return self.fewer_edges_than(int(least * self._scale), condition)

    def fewer_edges_than(self, least: int, condition: str = "") -> str:
        """The same, without scaling."""
        if least <= 0 or (edges := self.num_edges) >= least:
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
            own function, if it has one, unless the caller asks for gascl.
        lazy: how many items of the result NetworkX makes, one by one, as long as they come soon:
            someone who takes one item does not wait for all. Not if the caller has asked for gascl.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        names: tuple[str, ...],
        first: int | None,
        cached: int,
        limits: str,
        numpy: bool,
        random: bool,
        lazy: float,
        unsupported: Iterable[Check],
        slower: Iterable[Check],
        later: Iterable[Check],
    ):
        update_wrapper(self, function)
        self.names, self.name = names, names[0]
        self.module = function.__module__.rpartition(".")[2]
        self.first, self.cached, self.limits = first, cached, limits
        self.numpy, self.random, self.lazy = numpy, random, lazy
        self._function, self._signature = function, inspect.signature(function)
        self.parameters = dict(self._signature.parameters)
        self._positional = [p.name for p in self.parameters.values() if p.kind != p.KEYWORD_ONLY]
        self._required = sum(p.default is p.empty for p in self.parameters.values())
        given = ((p.name, p.default) for p in self.parameters.values())
        self._defaults = {name: default for name, default in given if default is not inspect._empty}
        self._unsupported, self._slower = tuple(unsupported), tuple(slower)
        self._later = tuple(later)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self.bound(args, kwargs)
        chosen, _asked.chosen = getattr(_asked, "chosen", None), None
        if not (self.lazy and chosen is self and isinstance(arguments["G"], Converted)):
            return self._run(arguments)
        if stored_edges(arguments["G"].original()) is not None:
            return self._run(arguments)  # where NetworkX would need dictionaries
        own = nx.utils.backends._registered_algorithms[self.name].orig_func
        items = own(**{**arguments, "G": arguments["G"].original()})
        return chain.from_iterable(self._parts(items, arguments))

    def _run(self, arguments: dict[str, Any]) -> Any:
        start = time.perf_counter()
        try:
            if isinstance(arguments["G"], Converted):
                arguments["G"] = current(arguments["G"])
                arguments["G"].read(self.name)
                start = time.perf_counter()
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

    def _parts(self, items: Iterator[Made], arguments: dict[str, Any]) -> Iterator[Iterator[Made]]:
        """NetworkX's own items, and gascl's after those that come soon; in parts, since to look at
        the clock after each item would take longer than many an item."""
        began, patience, topology = time.perf_counter(), PATIENCE, arguments["G"].topology
        if not topology.is_read:
            patience += PER_NODE * len(topology.original())
        call = Call({**arguments, "G": topology.original()})
        count, size = 0, 1
        while count + size <= self.lazy and time.perf_counter() - began < patience:
            if not (item := list(islice(items, 1))):
                return
            yield chain(item, islice(items, size - 1))
            count, size = count + size, 2 * size
        if not _first_reason(self._later, call):
            with suppress(NotImplementedError):  # upon which NetworkX's own go on
                items = islice(self._run(arguments), count, None)
        yield items

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name: in a tenth of the time of `Signature.bind`, since NetworkX asks
        about every call, also about those that take a microsecond.

        Raises:
            TypeError: they are not this function's.
        """
        arguments = self._defaults | kwargs
        for name, value in zip(self._positional, args, strict=False):
            arguments[name] = value
        if arguments.keys() != self.parameters.keys() or len(args) > len(self._positional):
            self._signature.bind(*args, **kwargs)  # which raises the error
        return arguments

    def can_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether the call is supported, or why not."""
        _asked.chosen = None
        enough = self._required <= len(args) <= len(self._positional)
        if enough and not (self._unsupported or kwargs):
            return True  # as of calls by the thousand inside NetworkX's own functions
        try:
            call = Call(self.bound(args, kwargs))
        except TypeError as error:  # newer versions of NetworkX may have more parameters
            return f"gascl does not take these arguments: {error}"
        reason = _first_reason(self._unsupported, call)
        return f"gascl does not support {reason}" if reason else True

    def should_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether NetworkX would be slower, or why not."""
        if self.random and "networkx" in _registered_algorithms[self.name].backends:
            return "its answers differ from NetworkX's, which are random; backend='gascl' runs it"
        nodes = len(args[0] if args else kwargs["G"])
        if nodes * nodes < self.cached * calibration.LEAST:  # at once, since others call it by node
            return "NetworkX is faster with so few nodes"
        scale = 1.0 if self.numpy else calibration.factor()
        call = Call(self.bound(args, kwargs), scale)
        least = self.cached if call.is_converted else self.first
        if least is None:
            return "NetworkX is faster" + ("" if call.is_converted else " than the conversion")
        if not call.is_converted and nodes * DENSE < least * scale:
            return f"{nodes:,} nodes: NetworkX is faster below about {least * scale:,.0f} edges"
        counted = call.is_converted or nodes < FEW_NODES  # or else, the checks take less time
        reason = counted and call.too_few_edges(least)
        reason = reason or _first_reason(self._slower, call)
        reason = reason or (not counted and call.too_few_edges(least))
        reason = reason or call.fewer_edges_than(nx.config.backends.gascl.minimum_edges)
        if reason:
            return reason
        _asked.chosen = self
        return True


def _first_reason(checks: Iterable[Check], call: Call) -> str:
    for check in checks:
        if reason := check(call):
            return reason
    return ""


def backend_function(
    *,
    first: int | None,
    cached: int,
    limits: str = "",
    numpy: bool = False,
    random: bool = False,
    lazy: float = 0,
    unsupported: Iterable[Check] = (),
    slower: Iterable[Check] = (),
    later: Iterable[Check] = (),
    names: tuple[str, ...] = (),
    also: str = "",
) -> Callable[[Callable[..., Any]], Function]:
    """Decorates a function of the backend, which has the name and parameters of NetworkX's.

    Args:
        first, cached, limits, numpy, random, lazy: as in `Function`.
        unsupported: each returns what the backend does not support, a noun phrase.
        slower: each returns why NetworkX is faster, whatever the number of edges.
        later: the same for `lazy`, asked when NetworkX's first items have taken long.
        names: those in all versions of NetworkX, that of the installed one first, where they
            are not the function's name.
        also: another function of NetworkX with the same parameters and results, on graphs of
            another kind perhaps.
    """

    def register(function: Callable[..., Any]) -> Function:
        how = (first, cached, limits, numpy, random, lazy, unsupported, slower, later)
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


def few_nodes(least: int) -> Check:
    """Checks that the graph has so many nodes, where these decide instead of edges."""

    def check(call: Call) -> str:
        return f"NetworkX is faster below {least} nodes" if len(call.G) < least else ""

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

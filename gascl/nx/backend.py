"""The object that NetworkX's dispatcher calls, named by the entry point `networkx.backends`."""

from __future__ import annotations

import atexit
import logging
import os
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import networkx as nx

import gascl.nx
from gascl.nx.converted_graph import (
    Converted,
    Topology,
    check_cache,
    converted_before,
    log,
    to_networkx,
)
from gascl.nx.dispatch import FUNCTIONS, VERSION, Verdict
from gascl.nx.loader import LOADERS
from gascl.nx.summary import Summary

#: The oldest version with the same answers: older ones scale betweenness of samples otherwise.
SUPPORTED = (3, 6)

for _module in iter_modules(gascl.nx.__path__, "gascl.nx."):
    import_module(_module.name)  # which registers its functions

if (_wanted := os.environ.get("GASCL_NX_LOG", "")) not in ("", "0"):
    # NetworkX has no variable for its own log, which also has a line for every dispatch.
    _handler: logging.Handler = logging.StreamHandler()  # to stderr
    _handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    if _wanted == "summary":
        _handler = Summary()
        atexit.register(_handler.print)
    log.addHandler(_handler)
    log.setLevel(logging.INFO)
    log.propagate = False  # a script that sets up logging itself would show each line twice


class Backend:
    """What NetworkX's dispatcher calls; the functions are its attributes."""

    def __init__(self) -> None:
        vars(self).update({**FUNCTIONS, **LOADERS})

    def convert_from_nx(
        self,
        G: Any,
        *,
        edge_attrs: dict[Any, Any] | None = None,
        preserve_edge_attrs: bool = False,
        **_: Any,
    ) -> Converted:
        """A NetworkX graph with the edge attributes that a function needs, all of which is read
        when the function runs. Functions that keep all attributes take them from the original
        graph."""
        if isinstance(G, Converted):
            return G
        shared = converted_before(G) if nx.config.cache_converted_graphs else None
        return Converted(shared or Topology(G), (edge_attrs or {}).items(), preserve_edge_attrs)

    def convert_to_nx(self, result: Any, *, name: str | None = None) -> Any:
        """A `Converted` as a NetworkX graph; everything else as it is."""
        return to_networkx(result) if isinstance(result, Converted) else result

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether these arguments are supported.

        Raises:
            NotImplementedError: they are not, with the reason. NetworkX passes it on to those who
                have asked by `backend="gascl"`, and else runs its own function; with a reason that
                is returned, it would raise an error without one.
        """
        if VERSION < SUPPORTED:
            return f"NetworkX {nx.__version__}: this backend follows what 3.6 returns"
        function = FUNCTIONS.get(name)
        if function is None:  # a loader: these leave to NetworkX what they do not store
            return True
        verdict = function.can_run(args, kwargs)
        if verdict is True:
            check_cache(args[0] if args else kwargs["G"])
            return True
        log.info("%s: declined: %s", name, verdict)
        if not nx.utils.backends._dispatchable._is_testing:  # where NetworkX expects no error
            message = f"'{name}' is not implemented by the 'gascl' backend for these arguments"
            raise NotImplementedError(f"{message}: {verdict}")
        return verdict

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
        """Whether NetworkX would be slower, or why not. With `backend="gascl"`, it does not ask."""
        verdict = FUNCTIONS[name].should_run(args, kwargs)
        if verdict is not True:
            log.info("%s: left to NetworkX: %s", name, verdict)
        return verdict

    def on_start_tests(self, items: list[Any]) -> None:
        """Marks those of NetworkX's own tests that cannot pass, each with its reason."""
        import pytest

        from gascl.nx.expected_failures import EXPECTED

        for item in items:
            reason = EXPECTED.get(f"{item.path.name}::{item.name}")
            if reason:
                item.add_marker(pytest.mark.xfail(reason=reason))


backend = Backend()

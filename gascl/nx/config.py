"""`BackendConfig`: the settings of the backend, `nx.config.backends.gascl`."""

from typing import Any

from networkx.utils.configs import Config


class BackendConfig(Config):  # type: ignore[misc]
    """Settings that are checked when they are set: a wrong one would stop each later call.

    Raises:
        TypeError, ValueError: a value is none that the setting can have.
    """

    device: str | None
    minimum_edges: int
    detect_changes: bool

    def _on_setattr(self, key: str, value: Any) -> Any:
        setting = f"nx.config.backends.gascl.{key}={value!r}"
        if key == "device" and not isinstance(value, str | None):
            raise TypeError(f"{setting}: expected a name as in GASCL_DEVICE, or None")
        if key == "detect_changes" and not isinstance(value, bool):
            raise TypeError(f"{setting}: expected True or False")
        if key == "minimum_edges":
            if not isinstance(value, int) or isinstance(value, bool):
                raise TypeError(f"{setting}: expected a number of edges, such as 100_000")
            if value < 0:
                raise ValueError(f"{setting}: expected a number of edges, 0 or more")
        return value

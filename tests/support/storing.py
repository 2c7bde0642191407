"""A pytest plugin: graphs of any size are stored as arrays, for tests of NetworkX's own."""

from gascl.nx import loader


def pytest_configure():
    loader.LEAST = 0

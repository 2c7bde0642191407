"""Programs and arguments that are refused, and the message of each."""

import pytest

from gascl.errors import GraphError


def refused(words, call):
    with pytest.raises(GraphError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)

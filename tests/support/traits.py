"""The traits of a program as a dictionary, to compare them."""

from functools import cached_property

from gascl.language.traits import Traits


def traits_of(cls):
    """Every public trait of a program class, by name."""
    traits = Traits.of(cls.spec)
    named = (name for name, value in vars(Traits).items() if isinstance(value, cached_property))
    return {"lanes": traits.lanes} | {n: getattr(traits, n) for n in named if n[0] != "_"}

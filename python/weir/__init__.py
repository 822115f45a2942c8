"""Network traffic as Arrow tables.

``read`` runs the program ``weir`` on captures and gives their records, ``open`` gives records that are there already,
``hunt`` runs rules over an archive of captures, and ``weir.ray.hunt`` does so on all machines of a Ray cluster.
"""

import importlib
import typing

from ._hunt import Progress, hunt
from ._native import Error, __version__
from ._records import IncompleteWarning, Records, UnknownTable, open, read

if typing.TYPE_CHECKING:
    from . import ray as ray

__all__ = ["Error", "IncompleteWarning", "Progress", "Records", "UnknownTable", "__version__", "hunt", "open", "read"]


def __getattr__(name: str) -> typing.Any:
    # Ray takes a second to load, and is not there for everybody.
    if name == "ray":
        return importlib.import_module("weir.ray")
    raise AttributeError(f"module 'weir' has no attribute {name!r}")

"""smemcalc: how many blocks of a CUDA kernel are resident on one SM, and what stops the next one.

    >>> import smemcalc as sm
    >>> sm.occupancy(threads=256, regs=40, smem=12 << 10, device="A100")

`occupancy`, `best`, `limits`, `of`, `banks` and sweeps of plain launches are answered by libsmemcalc,
without a GPU; `inspect`, `trace`, `ask` and sweeps of the catalog's kernels start the program smemcalc.
Sizes are in bytes, percentages 0 to 100. A list, a range, an array or a column of a data frame asks
about many launches at once; a tuple is a shape.
"""

from . import _library
from ._banks import banks
from ._device import Device, device, devices
from ._kernels import of
from ._occupancy import Level, NextStep, Occupancy, best, limits, occupancy
from ._program import ProgramError, Report, ask, inspect, sweep, trace
from ._table import Table

_number = _library.version()
__version__ = f"{_number // 10000}.{_number // 100 % 100}.{_number % 100}"

__all__ = ["Device", "Level", "NextStep", "Occupancy", "ProgramError", "Report", "Table", "ask", "banks",
           "best", "device", "devices", "inspect", "limits", "occupancy", "of", "sweep", "trace"]

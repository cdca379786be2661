"""The bank conflicts of accesses to shared memory."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _library as library
from ._device import DeviceLike, device as find_device
from ._table import Table

_LANES = 32
_WIDE = ("ldmatrix", "stmatrix", "cp.async")


def banks(operation: str, addresses: Any, *, width: Optional[int] = None, mask: int = 0xFFFFFFFF,
          device: DeviceLike = None) -> Table:
    """The bank conflicts of a warp's access to shared memory.

    operation  ld st atom red ldmatrix.x1|x2|x4[.trans] stmatrix.x1|x2|x4[.trans] cp.async.ca ...
    addresses  the byte addresses of the 32 lanes, or rows of 32, as a numpy array has
    width      bytes that a lane accesses; None: 16 for matrices and cp.async, else 4
    mask       the active lanes, a bit for each

    Columns: wavefronts, and conflicts, the wavefronts above the least possible. The rules were
    counted on an H200 and an H100; smemcalc/rules/banks.h has them.

    >>> banks("ld", [lane * 8 for lane in range(32)], device="H200")["conflicts"]
    [1]
    """
    of = find_device(device)
    sm = ctypes.addressof(of._struct) + type(of._struct).sm.offset
    layout, access, error = library.BankLayout(), library.Access(), library.Error()
    library.bank_layout_of(sm, 0, ctypes.byref(layout))
    access.op = library.bank_op_find(operation.encode())
    if access.op == library.BANK_OPS:
        raise ValueError(f"operation: {operation!r} is not one such as ld, st, atom or ldmatrix.x4")
    if not library.bank_op_exists(access.op, sm):
        raise ValueError(f"operation: {operation!r} does not exist on {of.name}")
    access.width_bytes = width if width is not None else 16 if operation.startswith(_WIDE) else 4
    access.mask = mask
    rows = addresses if hasattr(addresses[0], "__len__") else [addresses]
    found = []
    for index, row in enumerate(rows):
        if len(row) != _LANES:
            raise ValueError(f"addresses: a warp has {_LANES}, not {len(row)}")
        access.address[:] = [int(address) for address in row]
        if library.access_validate(ctypes.byref(layout), ctypes.byref(access),
                                   ctypes.byref(error)) != library.OK:
            raise ValueError(f"addresses[{index}]: {error.message.decode()}")
        found.append(library.banks_count(ctypes.byref(layout), ctypes.byref(access)))
    return Table({"wavefronts": [cost.wavefronts for cost in found],
                  "conflicts": [cost.wavefronts - cost.least for cost in found]})

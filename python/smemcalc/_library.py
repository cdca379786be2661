"""libsmemcalc, through ctypes. Its structures are built from the layout of smemcalc.h."""

import ctypes
import os
from typing import Any, Dict, List, Tuple, Type

from ._layout import MEMBERS, STRUCTS, VALUES

MessageType = ctypes.c_char * 256


def _scalar(name: str) -> Any:
    if name.endswith("*"):
        return ctypes.c_char_p if name == "const char *" else ctypes.c_void_p
    if name.startswith("enum "):
        return ctypes.c_int
    plain = {"bool": ctypes.c_bool, "char": ctypes.c_char, "double": ctypes.c_double,
             "int": ctypes.c_int, "size_t": ctypes.c_size_t}
    return plain[name] if name in plain else getattr(ctypes, "c_" + name[: -len("_t")])


def _build() -> Dict[str, Type[ctypes.Structure]]:
    """A class for every struct. A layout that ctypes would not give it is an error."""
    built: Dict[str, Type[ctypes.Structure]] = {}
    for name, members in MEMBERS.items():
        fields: List[Tuple[str, Any]] = []
        for member, kind, count, _ in members:
            inner = kind[len("struct "):]
            of = built[inner] if kind.startswith("struct ") and "*" not in kind else _scalar(kind)
            fields.append((member, of if count == 1 else of * count))
        made: Type[ctypes.Structure] = type(name, (ctypes.Structure,), {"_fields_": fields})
        wrong = [member for member, _, _, offset in members if getattr(made, member).offset != offset]
        if wrong or (ctypes.sizeof(made), ctypes.alignment(made)) != STRUCTS[name]:
            raise ImportError(f"smemcalc: struct {name} has another layout on this machine: {wrong}")
        built[name] = made
    return built


_structs = _build()
Sm = _structs["smc_sm"]
Device = _structs["smc_device"]
DeviceProperties = _structs["smc_device_properties"]
Launch = _structs["smc_launch"]
Occupancy = _structs["smc_occupancy"]
Launches = _structs["smc_launches"]
NextSteps = _structs["smc_next_steps"]
Fixed = _structs["smc_fixed"]
Headroom = _structs["smc_headroom"]
Error = _structs["smc_error"]
BankLayout = _structs["smc_bank_layout"]
BankCost = _structs["smc_bank_cost"]
Access = _structs["smc_access"]

OK = VALUES["SMC_OK"]
UNLIMITED = 2**32 - 1
BANK_OPS = VALUES["SMC_BANK_OPS"]


def _names(prefix: str) -> List[int]:
    return sorted(value for name, value in VALUES.items() if name.startswith(prefix))


def _load() -> ctypes.CDLL:
    """SMEMCALC_LIBRARY if it is set, else the wheel's library, else the system's."""
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsmemcalc.so")
    path = os.environ.get("SMEMCALC_LIBRARY") or (bundled if os.path.exists(bundled)
                                                  else "libsmemcalc.so.0")
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"smemcalc: the library cannot be loaded: {error}; install libsmemcalc0, "
                          "or a wheel of smemcalc, which contains it") from None


def _declare(name: str, result: Any, *arguments: Any) -> Any:
    try:
        function = getattr(_loaded, name)
    except AttributeError:
        raise ImportError(f"smemcalc: {_loaded._name} is too old: it has no {name}") from None
    function.restype = result
    function.argtypes = arguments
    return function


_loaded = _load()
_pointer = ctypes.c_void_p
_status = ctypes.c_int
version = _declare("smc_version", ctypes.c_uint32)
launch_init = _declare("smc_launch_init", None, _pointer)
launch_validate = _declare("smc_launch_validate", _status, _pointer, _pointer, _pointer)
launches_check = _declare("smc_launches_check", _status, _pointer, _pointer)
next_steps_find = _declare("smc_next_steps_find", _status, _pointer, _pointer, _pointer)
headroom_find = _declare("smc_headroom_find", _status, _pointer, _pointer, Fixed, _pointer)
best_block_find = _declare("smc_best_block_find", _status, _pointer, _pointer, _pointer, _pointer)
refusal_explain = _declare("smc_refusal_explain", None, _pointer, _pointer, _pointer, ctypes.c_int,
                           MessageType)
device_find = _declare("smc_device_find", _status, ctypes.c_char_p, _pointer, MessageType, _pointer)
device_count = _declare("smc_device_count", ctypes.c_size_t)
device_at = _declare("smc_device_at", None, ctypes.c_size_t, _pointer)
device_of_properties = _declare("smc_device_of_properties", _status, _pointer, _pointer, _pointer)
bank_layout_of = _declare("smc_bank_layout_of", None, _pointer, ctypes.c_int, _pointer)
bank_op_find = _declare("smc_bank_op_find", ctypes.c_int, ctypes.c_char_p)
bank_op_exists = _declare("smc_bank_op_exists", ctypes.c_bool, ctypes.c_int, _pointer)
access_validate = _declare("smc_access_validate", _status, _pointer, _pointer, _pointer)
banks_count = _declare("smc_banks_count", BankCost, _pointer, _pointer)
sm_check = _declare("smc_sm_check", _status, _pointer, _pointer)


def _words(function: str, prefix: str) -> List[str]:
    """The names of an enum, by its values."""
    name = _declare(function, ctypes.c_char_p, ctypes.c_int)
    return [name(value).decode() for value in _names(prefix)]


LIMITS = _words("smc_limit_name", "SMC_LIMIT_")
LIMIT_LABELS = _words("smc_limit_label", "SMC_LIMIT_")
REFUSALS = _words("smc_refusal_name", "SMC_REFUSAL_")
SMEM_MODES = _words("smc_smem_mode_name", "SMC_SMEM_MODE_")
STEP_RESOURCES = _words("smc_step_resource_name", "SMC_STEP_")

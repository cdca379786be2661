#!/usr/bin/env python3
"""Packs a wheel: wheel.py VERSION PACKAGE_FOLDER LICENSE README OUT_FOLDER

The package has its own copy of libsmemcalc, so that the wheel is of one platform and of any Python 3.
The C library that it needs is the newest version of a symbol that libsmemcalc uses.
"""
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: smemcalc
Version: {version}
Summary: CUDA occupancy and shared memory: resident blocks per SM, what limits them, what gains one
License: MIT
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: smemcalc
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def find_platform(library: pathlib.Path) -> str:
    """manylinux_2_17_x86_64 for what needs nothing newer than glibc 2.17, the oldest of any wheel."""
    machine = platform.machine()
    symbols = re.findall(rb"GLIBC_(\d+)\.(\d+)", library.read_bytes())
    if platform.system() != "Linux" or not symbols:
        return f"{platform.system().lower()}_{machine}"
    major, minor = max((int(major), int(minor)) for major, minor in symbols)
    return f"manylinux_{major}_{max(minor, 17)}_{machine}"


def main(version: str, package: str, licence: str, readme: str, out: str) -> None:
    folder = pathlib.Path(package)
    tag = find_platform(folder / "libsmemcalc.so")
    info = f"smemcalc-{version}.dist-info"
    files = {f"smemcalc/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())
             if path.is_file()}
    files[f"{info}/METADATA"] = METADATA.format(
        version=version, readme=pathlib.Path(readme).read_text(encoding="utf-8")).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(platform=tag).encode()
    files[f"{info}/LICENSE"] = pathlib.Path(licence).read_bytes()
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    wheel = pathlib.Path(out) / f"smemcalc-{version}-py3-none-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes for the same source
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    print(wheel)


main(*sys.argv[1:])

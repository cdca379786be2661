#!/usr/bin/env python3
"""Reads the recipe with rattler-build's own parser (pip install py-rattler-build) and evaluates it
for this platform; what is wrong with it ends the program."""
import pathlib
import re

from rattler_build import Stage0Recipe, VariantConfig

folder = pathlib.Path(__file__).parent
recipe = Stage0Recipe.from_file(str(folder / "recipe.yaml"))
variants = recipe.render(VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}))
assert len(variants) == 1, variants
package = variants[0].recipe.package
version = re.search(r"AC_INIT\(\[(\w+)\], \[([\d.]+)\]",
                    (folder / "../../configure.ac").read_text())
assert (str(package.name), str(package.version)) == version.groups(), (package, version)
print(variants[0])

"""Runs the cells of a notebook in order, without Jupyter, and prints where their outputs differ from
the stored ones. A cell with the tag needs-NAME is left out where the module NAME is missing or no
GPU answers; it has no stored output.

    notebook.py FILE [--write]     --write stores the outputs
"""
import ast
import contextlib
import ctypes
import importlib.util
import io
import json
import linecache
import sys


def has_gpu():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def needs(cell):
    """The modules that a cell needs."""
    return [tag[len("needs-"):] for tag in cell["metadata"].get("tags", []) if tag.startswith("needs-")]


def can_run(cell):
    return not needs(cell) or (has_gpu() and all(importlib.util.find_spec(name) for name in needs(cell)))


def lines(text):
    return text.splitlines(keepends=True)


def run(source, name, names):
    """The outputs of a cell: what it prints, and the value of an expression at its end."""
    tree = ast.parse(source)
    linecache.cache[name] = (len(source), None, lines(source), name)  # Triton reads its kernels' source
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs, value = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code" or not can_run(cell):
            continue
        outputs = run("".join(cell["source"]), f"<cell {number}>", names)
        if needs(cell):
            continue
        if "--write" in sys.argv:
            cell["outputs"] = outputs
        elif outputs != cell["outputs"]:
            print(f"cell {number}: {json.dumps(outputs, indent=1)}\nis not what is stored")
    if "--write" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()

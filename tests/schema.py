"""Holds JSON of smemcalc against its schema, and the schema against smemcalc-formats(5).

    schema.py SCHEMA --documents <LIST    problems of documents and of their JSON Lines
    schema.py SCHEMA --required <LIST     members that every document has but the schema does not
                                          require, and required ones whose absence is not noticed
    schema.py SCHEMA --formats PAGE       members that only the schema or only the page has

Only the keywords that the schema uses are known; another one is an error. With the package
jsonschema installed, documents without problems are validated by it as well.
"""
import json
import os
import re
import sys

TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}


class Schema:
    def __init__(self, root):
        self.root = root

    def problems(self, value, schema, path):
        """The problems of a value, and which of its members the schema describes."""
        problems, known = [], set()
        for keyword, content in schema.items():
            if keyword in ANNOTATIONS or keyword == "unevaluatedProperties":
                continue
            check = getattr(self, "check_" + keyword.lstrip("$"))
            found, described = check(value, content, path, schema)
            problems += found
            known |= described
        if schema.get("unevaluatedProperties") is False and isinstance(value, dict):
            problems += [f"{path}: '{key}' is not in the schema" for key in value.keys() - known]
        return problems, known

    def check_ref(self, value, content, path, _):
        return self.problems(value, self.root["$defs"][content.removeprefix("#/$defs/")], path)

    def check_type(self, value, content, path, _):
        types = [content] if isinstance(content, str) else content
        if any(TYPES[name](value) for name in types):
            return [], set()
        return [f"{path}: {json.dumps(value)[:60]} is not of type {' or '.join(types)}"], set()

    def check_const(self, value, content, path, _):
        return ([] if value == content else [f"{path}: is not {content!r}"]), set()

    def check_enum(self, value, content, path, _):
        return ([] if value in content else [f"{path}: {value!r} is none of its values"]), set()

    def check_required(self, value, content, path, _):
        lacking = [key for key in content if isinstance(value, dict) and key not in value]
        return [f"{path}: lacks '{key}'" for key in lacking], set()

    def check_properties(self, value, content, path, _):
        problems = []
        known = value.keys() & content.keys() if isinstance(value, dict) else set()
        for key in known:
            problems += self.problems(value[key], content[key], f"{path}.{key}")[0]
        return problems, known

    def check_additionalProperties(self, value, content, path, schema):
        others = value.keys() - schema.get("properties", {}).keys() if isinstance(value, dict) else set()
        if content is False:
            return [f"{path}: '{key}' is not in the schema" for key in others], set()
        problems = []
        for key in others:
            problems += self.problems(value[key], content, f"{path}.{key}")[0]
        return problems, others

    def check_items(self, value, content, path, _):
        problems = []
        for i, item in enumerate(value if isinstance(value, list) else []):
            problems += self.problems(item, content, f"{path}[{i}]")[0]
        return problems, set()

    def check_allOf(self, value, content, path, _):
        problems, known = [], set()
        for schema in content:
            found, described = self.problems(value, schema, path)
            problems += found
            known |= described
        return problems, known

    def check_anyOf(self, value, content, path, _):
        """Those of the alternative that fits best."""
        return self.problems(value, self.best_of(content, value), path)

    def best_of(self, alternatives, value):
        return min(alternatives, key=lambda schema: len(self.problems(value, schema, "")[0]))

    def objects(self, value, schema):
        """Every object in the value with each schema that lists its members."""
        if "$ref" in schema:
            yield from self.objects(value, self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")])
        for part in schema.get("allOf", []):
            yield from self.objects(value, part)
        if "anyOf" in schema:
            yield from self.objects(value, self.best_of(schema["anyOf"], value))
        if isinstance(value, dict) and "properties" in schema:
            yield value, schema
            for key in value.keys() & schema["properties"].keys():
                yield from self.objects(value[key], schema["properties"][key])
        if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
            for key in value.keys() - schema.get("properties", {}).keys():
                yield from self.objects(value[key], schema["additionalProperties"])
        if isinstance(value, list) and "items" in schema:
            for item in value:
                yield from self.objects(item, schema["items"])


def members_of(schema):
    """The names of all members, and the values that are listed."""
    names, values = set(), set()
    for key, content in schema.items():
        if key in ("properties", "$defs"):
            names |= content.keys() if key == "properties" else set()
            parts = content.values()
        elif key == "enum":
            values |= {value for value in content if isinstance(value, str)}
            continue
        else:
            parts = content if isinstance(content, list) else [content]
        for part in parts:
            if isinstance(part, dict):
                more_names, more_values = members_of(part)
                names |= more_names
                values |= more_values
    return names, values


def page_of(text):
    """The words of the section on JSON, and those that are members for certain: the names of lists,
    and words with an underscore."""
    section = re.search(r'^\.Sh JSON\n(.*?)^\.Sh ', text, re.M | re.S).group(1)
    section = re.sub(r'smemcalc-[a-z]+/1', '', re.sub(r'^\.\\".*$', '', section, flags=re.M))
    section = re.sub(r'^\.(Fl|Xr|Ss|Cm) .*$', '', section, flags=re.M)
    words = set(re.findall(r'[a-z0-9_]+', section))
    lists = re.findall(r'^\.It (?:Sy )?([a-z0-9_.]+)(?: , ([a-z0-9_.]+))?$', section, re.M)
    certain = {part for names in lists for name in names for part in name.split(".") if part}
    return words, certain | {word for word in re.findall(r'(?<![A-Za-z0-9_])[a-z0-9]+(?:_[a-z0-9]+)+(?![A-Za-z0-9_(])', section)}


# Words with an underscore that are neither a member nor a value that the schema lists.
OTHER_WORDS = {"available_dynamic_smem_bytes", "binding_limits", "machine_", "node_exporter", "sm_75", "sm_90",
               "sm_90a", "smemcalc_fleet_", "smemcalc_merge_"}


def compare_with_page(schema, page):
    names, values = members_of(schema)
    words, certain = page_of(page)
    for name in sorted(names - words):
        print(f"'{name}' of the schema is not in smemcalc-formats(5)")
    for name in sorted(certain - names - values - OTHER_WORDS):
        print(f"'{name}' of smemcalc-formats(5) is not in the schema")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def foreign_problems(root, definition, document):
    """What another implementation of JSON Schema finds."""
    try:
        import jsonschema
    except ImportError:
        return []
    schema = {**root["$defs"][definition], "$defs": root["$defs"]}
    return [f"jsonschema: {error.json_path}: {error.message[:200]}"
            for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]


def schema_problems(root):
    try:
        import jsonschema
        jsonschema.Draft202012Validator.check_schema(root)
    except ImportError:
        pass
    except jsonschema.SchemaError as error:
        return [f"the schema is none: {error.json_path}: {error.message[:200]}"]
    return []


# The member whose elements --format jsonl prints one a line; reports of other definitions are one line.
LISTS = {"inspect": "kernels", "trace": "kernels", "kernels": "kernels", "lint": "launch_bounds", "devices": "devices",
         "doctor": "checks", "run_compare": "comparison", "query": "answers", "sweep": "answers", "limits": "answers",
         "best": "answers", "carveout": "answers", "exercise": "submissions"}
MEASURED = {"run", "run_compare", "run_source", "run_pair", "tune"}  # two runs differ in their times


def line_problems(definition, document, lines):
    """Whether JSON Lines have what the document has."""
    items = document.get(LISTS.get(definition), [document])
    expected = [{"schema": document["schema"], **item} for item in items]
    if len(lines) != len(expected):
        return [f"{len(lines)} lines, not {len(expected)}"]
    if definition in MEASURED:
        return [f"line {i}: other members" for i, line in enumerate(lines) if line.keys() != expected[i].keys()]
    return [f"line {i}: differs" for i, line in enumerate(lines) if line != expected[i]]


def check_documents(root, listed):
    """Each line of `listed` has a definition and the document's path; beside it are the lines."""
    for problem in schema_problems(root):
        print(problem)
    for row in listed:
        definition, path = row.split()
        document = load(path)
        problems = Schema(root).problems(document, root["$defs"][definition], "")[0]
        with open(path + "l", encoding="utf-8") as file:
            problems += line_problems(definition, document, [json.loads(line) for line in file])
        for problem in problems[:20] or foreign_problems(root, definition, document)[:20]:
            print(f"{path}: {problem}")


# Objects of which members may be absent that no report of the tests lacks.
SOMETIMES = {"check.properties.gpus.items.properties.figures"}
# Objects that no report of the tests has: most are of GPUs.
UNSEEN = {
    "banks.properties.accesses.items.properties.narrower", "calibrate",
    "calibrate.properties.spread.additionalProperties",
    "check.properties.gpus.items.properties.faults.items", "finding.properties.called_from.items",
    "finding.properties.other.properties.called_from.items",
    "layout.properties.accesses.items.properties.narrower", "one_run.properties.error.anyOf.0", "run.anyOf.1",
    "run_source.properties.gpu", "run_source.properties.memory.items.properties.measured",
    "trace.properties.modules.items", "tune.properties.tune.properties.winner",
    "tune.properties.tune.properties.winner.properties.measured",
    "tune.properties.tune.properties.winner.properties.time"}


def check_required(root, listed):
    """Every member that is always there is required, and a document without it fails."""
    schema = Schema(root)
    lacking, tried, names = {}, set(), {}
    name_schemas(root["$defs"], "", names)
    for row in sorted(listed, key=lambda row: os.path.getsize(row.split()[1])):
        definition, path = row.split()
        document = load(path)
        for value, described in schema.objects(document, root["$defs"][definition]):
            where = names[id(described)]
            lacking.setdefault(where, set()).update(described["properties"].keys() - value.keys())
            for key in described.get("required", []):
                if (where, key) in tried or key not in value:
                    continue
                tried.add((where, key))
                lost = value.pop(key)
                if not any(f"lacks '{key}'" in problem for problem in
                           schema.problems(document, root["$defs"][definition], "")[0]):
                    print(f"{path}: {where} without '{key}' is not noticed")
                value[key] = lost
    for where, described in sorted((names[id(one)], one) for one in with_properties(root["$defs"])):
        required = described.get("required", [])
        if where not in lacking:
            if where not in UNSEEN:
                print(f"{where} is in no document")
        elif where not in SOMETIMES:
            for key in described["properties"].keys() - lacking[where] - set(required):
                print(f"{where}: '{key}' is in every document and not required")
    if len(tried) < 1000:
        print(f"only {len(tried)} required members were left out")


def name_schemas(schema, name, names):
    """The path in the schema of each of its parts."""
    names[id(schema)] = name
    parts = schema.items() if isinstance(schema, dict) else enumerate(schema)
    for key, part in parts:
        if isinstance(part, (dict, list)):
            name_schemas(part, f"{name}.{key}".lstrip("."), names)


def with_properties(schema):
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, (dict, list)):
            yield from with_properties(part)


def main():
    root = load(sys.argv[1])
    if sys.argv[2] == "--formats":
        with open(sys.argv[3], encoding="utf-8") as file:
            compare_with_page(root, file.read())
    elif sys.argv[2] == "--required":
        check_required(root, sys.stdin)
    else:
        check_documents(root, sys.stdin)


if __name__ == "__main__":
    main()

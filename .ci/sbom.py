"""Writes a software bill of materials in CycloneDX 1.5 (JSON) to standard output.

usage: sbom.py [command|wheel]
Lists every crate that is linked into the command (the default) or into the extension of the Python wheel on any platform,
with version, licence, checksum and dependencies, from `cargo metadata` and Cargo.lock. The wheel has the features that
pyproject.toml names. Crates of tests and of build scripts' tests are left out. The same tree gives the same bytes, because
the output has no times or random numbers.
"""
import json
import pathlib
import subprocess
import sys
import tomllib

kind = sys.argv[1] if len(sys.argv) > 1 else "command"
roots = {"command": "crates/corefeval/Cargo.toml", "wheel": "crates/corefeval-py/Cargo.toml"}
if kind not in roots:
    sys.exit(f"usage: sbom.py [{'|'.join(roots)}]")
command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", roots[kind]]
if kind == "wheel":
    python = tomllib.loads(pathlib.Path("pyproject.toml").read_text(encoding="utf-8"))
    command += ["--features", ",".join(python["tool"]["maturin"]["features"])]
metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text(encoding="utf-8"))
checksums = {(row["name"], row["version"]): row.get("checksum") for row in lock["package"]}
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
first = metadata["resolve"]["root"]


def used(node):
    """Returns the crates that are linked, or run to build the package, without those of its tests."""
    kinds = lambda row: {kind["kind"] for kind in row["dep_kinds"]}
    return sorted(row["pkg"] for row in node["deps"] if kinds(row) - {"dev"})


def reference(id):
    package = packages[id]
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(id):
    package = packages[id]
    made = {
        "type": "application" if id == first else "library",
        "bom-ref": reference(id),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(id),
    }
    if package["description"]:
        made["description"] = " ".join(package["description"].split())
    if package["license"]:
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums.get((package["name"], package["version"])):
        made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["repository"]:
        made["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return made


reached, waiting = {first}, [first]
while waiting:
    for id in used(nodes[waiting.pop()]):
        if id not in reached:
            reached.add(id)
            waiting.append(id)
others = sorted(reached - {first}, key=reference)
bill = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": component(first)},
    "components": [component(id) for id in others],
    "dependencies": [
        {"ref": reference(id), "dependsOn": sorted({reference(other) for other in used(nodes[id])})}
        for id in [first, *others]
    ],
}
without = [row["name"] for row in bill["components"] if "licenses" not in row]
assert not without, f"without a licence: {without}"
json.dump(bill, sys.stdout, indent=1, ensure_ascii=False)
print()

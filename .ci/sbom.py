"""Writes a software bill of materials of the command in CycloneDX 1.5 (JSON) to standard output.

usage: sbom.py [PACKAGE]
Lists every crate that is linked into PACKAGE (by default `corefeval`) on any platform, with version, licence, checksum
and dependencies, from `cargo metadata` and Cargo.lock. Crates of tests and of build scripts' tests are left out. The same
tree gives the same bytes, because the output has no times or random numbers.
"""
import json
import pathlib
import subprocess
import sys
import tomllib

root = sys.argv[1] if len(sys.argv) > 1 else "corefeval"
command = ["cargo", "metadata", "--format-version", "1", "--locked"]
metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text(encoding="utf-8"))
checksums = {(row["name"], row["version"]): row.get("checksum") for row in lock["package"]}
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
first = next(id for id, package in packages.items() if package["name"] == root)


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

"""Checks the dependencies of the workspace: every dependency is used, its licence is allowed, and all come from one registry.

Standard library only; reads `cargo metadata` with all features and follows deny.toml, as cargo-deny does. Fails with a line for each fault.
"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

rules = tomllib.loads(pathlib.Path("deny.toml").read_text(encoding="utf-8"))
FITTING = set(rules["licenses"]["allow"])
BANNED = {ban["name"] for ban in rules["bans"]["deny"]}

metadata = json.loads(
    subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"], check=True, capture_output=True, text=True
    ).stdout
)
faults = []


def fits(expression):
    """Returns whether allowed licences satisfy a licence expression: any of OR, all of AND."""
    expression = expression.replace("/", " OR ").strip()
    if expression.startswith("(") and expression.endswith(")") and expression.count("(") == 1:
        expression = expression[1:-1]
    parts = re.split(r"\s+AND\s+(?![^(]*\))", expression)
    if len(parts) > 1:
        return all(fits(part) for part in parts)
    choices = re.split(r"\s+OR\s+", expression.strip("()"))
    return any(choice.strip() in FITTING for choice in choices)


sources = set()
members = set(metadata["workspace_members"])
for package in metadata["packages"]:
    if package["id"] not in members:
        if not fits(package["license"] or ""):
            faults.append(f"{package['name']} {package['version']}: licence {package['license']!r}")
        if package["name"] in BANNED:
            faults.append(f"{package['name']} {package['version']}: banned by deny.toml")
        if not package["source"].startswith("registry+"):
            faults.append(f"{package['name']} {package['version']}: comes from {package['source']}")
        sources.add(package["source"])
        continue
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [*folder.glob("src/**/*.rs"), *folder.glob("tests/**/*.rs"), *folder.glob("benches/**/*.rs")]
    # Test modules of another crate.
    for file in list(files):
        for path in re.findall(r'#\[path = "([^"]+)"\]', file.read_text(encoding="utf-8")):
            files += (file.parent / path).parent.glob("*.rs")
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    for dependency in package["dependencies"]:
        if dependency["req"] == "*" and not dependency.get("path"):
            faults.append(f"{package['name']}: any version of {dependency['name']} is accepted")
        name = (dependency["rename"] or dependency["name"]).replace("-", "_")
        if not re.search(rf"\b{re.escape(name)}\b(::|;| as |!)", source):
            faults.append(f"{package['name']}: the dependency {dependency['name']} is not used")

if len(sources) > 1:
    faults.append(f"packages come from several registries: {sorted(sources)}")
for fault in faults:
    print(fault)
print(f"{len(metadata['packages'])} packages checked, {len(faults)} faults")
sys.exit(1 if faults else 0)

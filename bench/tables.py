"""Measures time and memory for tables of labels, compared with DuckDB's join and group-by of the same files in the same run, and for CEAF.

    pip install duckdb matplotlib
    cargo build --release
    python bench/tables.py --rows 100000 1000000 10000000 --plot target/tables.png --ceaf target/ceaf.png

This generates a key and a response of each size once (in `--folder`), and runs two programs on them alternately: `corefeval score` with
all partition metrics, and DuckDB, which only joins both files by mention and counts each pair of entities. Times are processor
seconds of all threads of a process, which other work on the machine disturbs least; memory is the largest resident size. The figure shows both per row
of the key, minus those of a process for tables of 100 rows; so does the last column of each program, for memory.

Entities have four mentions on average, or `--mentions` of them. The response lacks one mention in twenty, puts one in five into another entity, and
has a different order, so that neither program can rely on the order of the rows. The other entity is one of eight neighbours, like
errors of real systems, so that components of overlap are small. With `--errors anywhere` it is any entity: nearly all entities
then belong to one component, the hardest case for CEAF. 10⁸ rows (6 GB of files) take one turn.

`--tables quoted` writes all cells in quotes. `--tables documents` adds a column of documents of 32 mentions (eight entities), in which the rows
are sorted; DuckDB then joins and counts by document. `--tables twice` adds a second row for one mention of the key, so that the
tables are read row by row. `--options "--singletons drop"` passes options to `corefeval score`.

`--counts` also measures `corefeval score --overlap` on the table of counts that DuckDB writes for the same files, and shows its number of rows.

`--format` measures tables in Parquet and Arrow too, in a build that reads them:

    cargo build --release -p corefeval --features parquet,arrow --config 'profile.release.panic="unwind"'
    python bench/tables.py --format csv parquet arrow

DuckDB writes the Parquet files and reads them in the same run. It does not read Arrow files, which Polars writes.

`--ceaf` adds a figure of `corefeval-dev bench-ceaf`: CEAF φ3 and φ4 on random components, by number of entities and of mentions
per entity, with MUC as the floor.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

#: The rows of tables with which a process mostly starts and ends.
FEW = 100

#: Metrics that compare partitions.
METRICS = "muc,b_cubed,ceaf_m,ceaf_e,blanc,lea,pairwise,rand,adjusted_rand"

MAKE = """
COPY (SELECT {document} 'm' || (hash(i) % 100000000000) || '_' || i AS mention, 'e' || (hash(i + 7) % {entities}) AS entity
      FROM range({rows}) t(i) {more} {key_order}) TO '{key}' ({form});
COPY (SELECT {document} 'm' || (hash(i) % 100000000000) || '_' || i AS mention,
             'r' || (CASE WHEN hash(i + 99) % 5 = 0 THEN {other} ELSE hash(i + 7) % {entities} END) AS entity
      FROM range({rows}) t(i) WHERE hash(i + 5) % 20 <> 0 ORDER BY {response_order} hash(i + 3)) TO '{response}' ({form});
"""

#: The document of a mention: eight neighbouring entities.
DOCUMENT = "hash(i + 7) % {entities} // 8"

#: The kinds of tables: what differs from plain ones.
TABLES = {
    "plain": {},
    "quoted": {"form": "HEADER, FORCE_QUOTE *"},
    "documents": {
        "document": f"'d' || ({DOCUMENT}) AS document,",
        "key_order": f"ORDER BY {DOCUMENT}",
        "response_order": f"{DOCUMENT},",
    },
    "twice": {"more": "UNION ALL SELECT 'm' || (hash(0) % 100000000000) || '_0', 'e1'"},
}

#: A program that runs a query.
MAKING = "import sys, duckdb; duckdb.connect().execute(sys.argv[1])"

#: The response's entity of a misplaced mention.
OTHER = {
    "near": "hash(i + 7) % {entities} // 8 * 8 + hash(i + 13) % 8",
    "anywhere": "hash(i + 13) % {entities}",
}

PAIRS = """
SELECT {document} gold.entity AS key, system.entity AS response, count(*) AS count
FROM '{key}' AS gold FULL OUTER JOIN '{response}' AS system USING ({document} mention)
GROUP BY {document} gold.entity, system.entity
"""

COUNT = f"SELECT count(*), sum(count) FROM ({PAIRS})"

#: Programs that write a table of CSV in another format.
CONVERT = {
    "parquet": "import sys, duckdb; duckdb.execute(f\"COPY (FROM '{sys.argv[1]}') TO '{sys.argv[2]}'\")",
    "arrow": """
import sys, polars
table = polars.scan_csv(sys.argv[1], infer_schema=False)
table.sink_ipc(sys.argv[2], compression="uncompressed", compat_level=polars.CompatLevel.oldest())
""",
}


def require(module: str, distribution: str) -> None:
    """Ends the program if a module that it needs is not installed."""
    if not importlib.util.find_spec(module):
        sys.exit(f"bench/tables.py needs {distribution}, which is not installed: pip install {module}")


def made(rows: int, mentions: int, tables: str, errors: str, folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """Returns the files of a size, which are generated once.

    A separate process generates them, because the largest resident size of a process starts at that of its parent.
    """
    kind = ("" if tables == "plain" else f"{tables}-") + ("" if mentions == 4 else f"{mentions}-")
    key, response = folder / f"{kind}key-{rows}.csv", folder / f"{kind}response-{errors}-{rows}.csv"
    if not response.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = response.with_suffix(".part")
        entities = max(rows // mentions, 1)
        usual = {"document": "", "key_order": "", "response_order": "", "form": "HEADER", "more": ""}
        parts = usual | TABLES[tables] | {"other": OTHER[errors]}
        parts = {name: part.format(entities=entities) for name, part in parts.items()}
        query = MAKE.format(rows=rows, entities=entities, key=key, response=part, **parts)
        subprocess.run([sys.executable, "-c", MAKING, query], check=True)
        part.rename(response)
    return key, response


def converted(path: pathlib.Path, format: str) -> pathlib.Path:
    """Returns a table in a format, which is written once."""
    other = path.with_suffix(f".{format}")
    if not other.exists():
        part = other.with_suffix(f".part.{format}")
        subprocess.run([sys.executable, "-c", CONVERT[format], str(path), str(part)], check=True)
        part.rename(other)
    return other


def counted(pairs: str, path: pathlib.Path) -> int:
    """Writes the table of counts of a query and returns its number of rows."""
    query = f"COPY ({pairs}) TO '{path}' (HEADER)"
    subprocess.run([sys.executable, "-c", MAKING, query], check=True)
    with path.open("rb") as lines:
        return sum(1 for _ in lines) - 1


def run(command: list[str]) -> tuple[float, float]:
    """Returns the processor seconds and megabytes of a process.

    A process that Python starts has at least the largest resident size of Python, so GNU time starts it if it is installed.
    """
    with tempfile.NamedTemporaryFile("r") as used, tempfile.TemporaryFile() as errors:
        timed = [GNU_TIME, "-f", "%U %S %M", "-o", used.name] if GNU_TIME else []
        process = subprocess.Popen([*timed, *command], stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}\n{errors.read().decode(errors='replace')}")
        kilobytes = int(used.read().split()[-1]) if timed else usage.ru_maxrss
    return usage.ru_utime + usage.ru_stime, kilobytes / 1024


def gnu_time() -> str | None:
    """Returns the path of GNU time, if it is installed."""
    path = shutil.which("time")
    if path and b"GNU" in subprocess.run([path, "--version"], capture_output=True).stdout:
        return path
    return None


GNU_TIME = gnu_time()


def more(found: tuple[float, float], start: tuple[float, float], rows: int) -> tuple[float, float]:
    """Returns the microseconds and bytes per row that a process takes more than for tables of few rows."""
    return tuple(1e6 * max(here - there, 0) / rows for here, there in zip(found, start))


def plotted(results: list[tuple[int, dict[str, tuple[float, float]]]], start: dict, path: pathlib.Path) -> None:
    """Draws time and memory per row; `start` has those of tables of few rows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    sizes = [rows for rows, _ in results]
    for name, marker in (("corefeval", "o"), ("DuckDB", "s")):
        times, memory = zip(*(more(found[name], start[name], rows) for rows, found in results))
        left.plot(sizes, times, marker=marker, label=name)
        right.plot(sizes, memory, marker=marker, label=name)
    left.set_ylabel("processor time per row (µs)")
    right.set_ylabel("peak memory per row (bytes)")
    figure.suptitle("without the time and memory of a process for 100 rows", fontsize="medium")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows of the key")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=144)


def ceaf(path: pathlib.Path) -> None:
    """Times CEAF on random components, prints the table and draws it: a panel for each number of mentions per entity."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    command = ["cargo", "run", "--release", "-q", "-p", "corefeval-dev", "--", "bench-ceaf", "--entities", "1000000"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(f"\n{text}")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    degrees = sorted({int(row[1]) for row in rows})
    figure, panels = pyplot.subplots(1, len(degrees), figsize=(3 * len(degrees), 3.7), sharey=True, layout="constrained")
    for degree, axes in zip(degrees, panels):
        of_degree = [row for row in rows if int(row[1]) == degree]
        lines = ((2, "MUC", "^"), (3, "CEAF φ3", "s"), (4, "CEAF φ4", "o"), (5, "CEAF φ4, key entities of one size", "x"))
        for column, name, marker in lines:
            times = [max(float(row[column]), 0.005) for row in of_degree]
            axes.plot([int(row[0]) for row in of_degree], times, marker=marker, label=name)
        axes.set_title(f"{degree} mentions per entity", fontsize="medium")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(700, 1.4e6)
        axes.set_xlabel("entities on each side")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("seconds, including alignment")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=144)
    print(path)


def measured(rows: int, format: str, builds: dict[str, str], given: argparse.Namespace) -> tuple[dict, int | None]:
    """Returns the processor seconds and megabytes of each program for tables of a size, and the number of rows of their table of counts."""
    files = made(rows, given.mentions, given.tables, given.errors, given.folder)
    key, response = files if format == "csv" else (converted(path, format) for path in files)
    count = f"import duckdb; duckdb.execute('SET threads={given.threads}'); "
    document = "document," if given.tables == "documents" else ""
    places = {"key": key, "response": response, "document": document}
    count += f"print(duckdb.sql({COUNT.format(**places)!r}))"
    score = ["score", "-q", "--no-warnings", "--threads", str(given.threads), "-m", METRICS, *given.options.split()]
    commands = {name: [path, *score, str(key), str(response)] for name, path in builds.items()}
    pairs = None
    if given.counts and format != "arrow":
        table = given.folder / f"counts-{given.mentions}-{given.tables}-{given.errors}-{rows}.csv"
        pairs = counted(PAIRS.format(**places), table)
        commands["counts"] = [given.command, *score, "--overlap", str(table)]
    if format != "arrow":
        commands["DuckDB"] = [sys.executable, "-c", count]
    all_runs = {name: [] for name in commands}
    for _ in range(given.runs if rows < 100_000_000 else 1):
        for name, command in commands.items():
            all_runs[name].append(run(command))
    found = {
        name: (statistics.median(time for time, _ in runs), max(size for _, size in runs)) for name, runs in all_runs.items()
    }
    return found, pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--format", choices=["csv", *CONVERT], nargs="+", default=["csv"], help="formats of the files")
    parser.add_argument("--mentions", type=int, default=4, help="mentions of an entity")
    parser.add_argument("--counts", action="store_true", help="also score the tables of counts of the same files")
    parser.add_argument("--errors", choices=OTHER, default="near", help="the entity of misplaced mentions")
    parser.add_argument("--tables", choices=TABLES, default="plain", help="the kind of tables")
    parser.add_argument("--options", default="", help="options of corefeval score, in one argument")
    parser.add_argument("--runs", type=int, default=3, help="number of turns; medians are shown")
    parser.add_argument("--command", default="target/release/corefeval")
    parser.add_argument("--before", help="another build, as a third column")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/bench/tables"))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plot", type=pathlib.Path, help="a figure of time and memory per row")
    parser.add_argument("--ceaf", type=pathlib.Path, help="a figure of CEAF on random components")
    given = parser.parse_args()
    require("duckdb", "DuckDB")
    if "arrow" in given.format:
        require("polars", "Polars")
    if given.plot and "csv" not in given.format:
        parser.error("--plot draws CSV, which --format leaves out")
    if given.plot or given.ceaf:
        require("matplotlib", "Matplotlib")
    builds = {"corefeval": given.command} | ({"before": given.before} if given.before else {})
    for command in builds.values():
        if not shutil.which(command):
            sys.exit(f"{command} is not a program: run cargo build --release, or name another build with --command")
    names = [*builds, *(["counts"] if given.counts else []), "DuckDB"]
    starts = {format: measured(FEW, format, builds, given)[0] for format in given.format}
    print("| rows | format |", " | ".join(f"{name}: s | µs per row | MB | bytes per row" for name in names), end=" |")
    print(" rows of counts |" if given.counts else "")
    print("|---:|---|" + "---:|" * (4 * len(names) + given.counts))
    results = []
    for rows, format in itertools.product(given.rows, given.format):
        found, pairs = measured(rows, format, builds, given)
        if format == "csv":
            results.append((rows, found))
        print(f"| {rows:,} | {format} |", end="")
        for name in names:
            if name not in found:
                print(" – | – | – | – |", end="")
                continue
            (time, size), (_, bytes_) = found[name], more(found[name], starts[format][name], rows)
            print(f" {time:.2f} | {1e6 * time / rows:.2f} | {size:.0f} | {bytes_:.0f} |", end="")
        print("" if not given.counts else " – |" if pairs is None else f" {pairs:,} |", flush=True)
    if not GNU_TIME:
        print("\nGNU time is not installed: each process has at least the memory of Python, which starts it.")
    for format, start in starts.items():
        cells = (f"{name} {time:.2f} s and {size:.0f} MB" for name, (time, size) in start.items())
        print(f"\nWith {FEW} rows in {format}: {', '.join(cells)}")
    if given.plot:
        plotted(results, starts["csv"], given.plot)
        print(f"\n{given.plot}")
    if given.ceaf:
        ceaf(given.ceaf)


if __name__ == "__main__":
    main()

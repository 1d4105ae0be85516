"""Writes the results of the GitHub Action as a comment of the pull request, or edits the comment that it wrote before.

Variables of the environment: REPORT is the file, NUMBER the pull request. The comment starts with a hidden mark of the workflow, the job and
what is scored, so that other comments are not changed, including those of another use of the action.
"""

import hashlib
import json
import os
import re
import subprocess
import tempfile

# The maximum number of characters of a comment.
MOST = 65536


def gh(*typed):
    return subprocess.run(["gh", *typed], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def mark():
    names = ("GITHUB_WORKFLOW", "GITHUB_JOB", "INPUT_KEY", "INPUT_RESPONSE", "INPUT_BASELINE", "INPUT_METRIC", "INPUT_OPTIONS")
    scored = "\0".join(os.environ.get(name, "").strip() for name in names)
    return f"<!-- corefeval {hashlib.sha256(scored.encode()).hexdigest()[:16]} -->"


def body(report):
    text = f"{mark()}\n{report}"
    rest = "\n\nThe rest is in the summary of the job.\n"
    return text if len(text) <= MOST else text[: MOST - len(rest)].rpartition("\n")[0] + rest


def main():
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["NUMBER"]
    comments = json.loads(gh("pr", "view", number, "--repo", repository, "--json", "comments"))["comments"]
    ours = [comment["url"] for comment in comments if comment["viewerDidAuthor"] and comment["body"].startswith(mark())]
    with open(os.environ["REPORT"], encoding="utf-8") as file:
        text = body(file.read())
    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8", delete=False) as file:
        file.write(text)
    known = re.search(r"#issuecomment-(\d+)$", ours[-1]) if ours else None
    if known:
        gh("api", "--method", "PATCH", f"repos/{repository}/issues/comments/{known[1]}", "-F", f"body=@{file.name}", "--silent")
    else:
        gh("pr", "comment", number, "--repo", repository, "--body-file", file.name)
    os.unlink(file.name)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError:
        # The token of a fork cannot write comments, which is not a failure.
        print("::warning::the comment could not be written; the results are in the summary of the job")

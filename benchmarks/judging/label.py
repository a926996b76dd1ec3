"""Fill a sheet of ``oloproof labels export`` with what the generator knows.

``python label.py sheet.csv receipts.jsonl``
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path


def main() -> None:
    """Fill the column ``passed``."""
    sheet, cases = Path(sys.argv[1]), Path(sys.argv[2])
    rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    true = {row["id"]: row["expected"]["true"] for row in rows}
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        names, filled = reader.fieldnames, list(reader)
    for row in filled:
        row["passed"] = "pass" if true[row["case_id"]] else "fail"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names or [])
        writer.writeheader()
        writer.writerows(filled)


if __name__ == "__main__":
    main()

"""What holds of the costs of every program's lines, however they are gathered."""
from collections import defaultdict

import tilescope

#: Columns that add up.
ADDITIVE = ("measuredCycles", "forwardCycles", "backwardCycles", "updateCycles", "bytesExchanged", "codeBytes",
            "alwaysLiveBytes")


def sums(rows):
    """The additive columns of a report's rows, by IPU."""
    found = defaultdict(lambda: dict.fromkeys((*ADDITIVE, "flops"), 0))
    for row in rows.astype(object).where(rows.notna(), None).to_dict("records"):
        for column, value in row.items():
            if column in found[row["ipu"]] and value is not None:
                found[row["ipu"]][column] += value
    return {
        ipu: {
            column: round(value) if column != "flops" else round(value, -3)
            for column, value in columns.items()
        }
        for ipu, columns in found.items()
    }


def assert_sums(path):
    """Costs move between lines and are never lost or counted twice: each way of gathering them has the sums of Operations."""
    profile = tilescope.open(path)
    wanted = sums(profile.operations())
    assert sum(columns["measuredCycles"] for columns in wanted.values()) > 0
    for grain in ("line", "function", "file", "stack"):
        for libraries in ("", ":libraries"):
            rows = profile.source(by=grain + libraries)
            assert rows["path"].str.len().max() > 0
            assert sums(rows) == wanted, grain + libraries
    # What is called is part of a line's total.
    rows = profile.source()
    lines = rows[rows["inclusiveCycles"].notna()]
    assert len(lines) > 0 and (lines["inclusiveCycles"] >= lines["measuredCycles"]).all()
    # Waits are part of the rows without a line.
    without = rows[rows["kind"].notna()]["measuredCycles"].sum()
    assert 0 <= rows["waitCycles"].fillna(0).sum() <= without

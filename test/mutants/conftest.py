"""Adds up, over all shards and workers, what became of the mutants."""


def pytest_terminal_summary(terminalreporter):
    totals = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call" and "test_mutants[" in report.nodeid:
                for name, count in report.user_properties:
                    totals[name] = totals.get(name, 0) + count
    if totals:
        terminalreporter.write_line("; ".join(f"{name} {count}" for name, count in totals.items()))

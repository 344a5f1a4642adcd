"""What every test has at hand."""

pytest_plugins = ["support.skips"]

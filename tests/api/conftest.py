"""Runs to look at, as the tests of reports make them."""

from report.conftest import written as written

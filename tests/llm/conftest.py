from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.llm_server import serving


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server in a process of its own."""
    with serving() as url:
        yield url

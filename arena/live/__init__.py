"""A page that shows a run while it goes on: `arena run --serve`.

The page is served to this machine only, by a thread of the driver. What it shows comes from
sums that the driver keeps anyway, and is put together on request: a run without
viewers pays nothing, a large one as little as a small one. When the run is over the page
becomes the report.
"""

from arena.live.server import LivePage

__all__ = ["LivePage"]

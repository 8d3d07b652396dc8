"""Shared by all servers: access, limits, and how they are run.

* `guard`: Host, Origin, token, sizes and rates, checked before an application sees a request;
* `serving`: an application on a port, on loopback unless the user asks for more.

Needs the extra `web`. `arena/live` serves one page with the standard library, by the same rules.
"""

"""Agents as servers, over HTTP: `arena serve` (docs/servers.md).

* `sessions`: the conversations of a server, their decisions and how many there may be;
* `agent_app`: the protocol of processes over HTTP;
* `jass_kit`: the protocol of jass-kit's player services.

Who may use a server is the matter of `arena.web`.
"""

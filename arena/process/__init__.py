"""Agents as processes: a line-based JSON protocol over standard input and output.

`docs/protocol.md` describes it for people who write bots. The parts:

* `messages`: what is said, with its JSON Schema;
* `serve`: the side of the agent, for any agent of ours (`arena serve-agent`);
* `hiding`: what an agent's process cannot look into;
* `child`: starting, limiting and ending a process; `reaper`: ending what is left;
* `client`: a process as an ordinary agent; `command`: the family of other people's programs;
* `remote`: agents on servers, the family `http`; `connection`: requests with a deadline;
* `jass_kit`: player services of jass-kit, the family `jass-kit`;
* `check`: the conformance suite for such programs (`arena check-bot`).

Nothing is imported here: the process of an agent loads only what it needs.
"""

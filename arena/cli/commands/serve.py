"""Let an agent play for others over HTTP, until Ctrl-C.

The protocol is that of docs/protocol.md, a message in each request; with --protocol jass-kit it is
that of jass-kit's player services. Only this machine reaches the server, unless --host says
otherwise: other machines then need the token in the environment variable ARENA_TOKEN.

Examples:
  arena serve '{family: ismcts, simulations: 500}'
  arena serve --protocol jass-kit --port 8888 '{family: dmcts}'
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields

from arena.cli.agent_text import agent_from_text
from arena.cli.options import number
from arena.config.entrants import AgentSpec
from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.games.schieber.jass_kit import RULES
from arena.process.messages import TOKEN_VARIABLES
from arena.servers.agent_app import AgentApp
from arena.servers.jass_kit import PlayerApp
from arena.servers.sessions import Agents, ServerLimits, Sessions
from arena.web.guard import LOOPBACK, App, Guard, check_token, is_loopback, new_token

_PROTOCOLS = ("arena", "jass-kit")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", help="the agent as in an experiment: {family: NAME, ...}")
    parser.add_argument(
        "--protocol", choices=_PROTOCOLS, default="arena", help="what is spoken (default: arena)"
    )
    parser.add_argument(
        "--game", action="append", help="compile for this game only before the first request"
    )
    parser.add_argument("--host", default=LOOPBACK, help=f"where to listen (default {LOOPBACK})")
    parser.add_argument("--port", type=int, default=8765, help="0 for any (default 8765)")
    parser.add_argument(
        "--name", action="append", default=[], help="a name that clients use, as of a proxy"
    )
    limits = ServerLimits()
    for each in fields(limits):
        default = getattr(limits, each.name)
        parser.add_argument(
            f"--{each.name}",
            type=number(type(default), at_least=each.metadata["at_least"]),
            default=default,
            metavar="N",
            help=f"{each.metadata['help']} (default {default:g})",
        )


def run(args: argparse.Namespace) -> int:
    from arena.web.serving import listen  # needs the extra `web`

    limits = ServerLimits(**{each.name: getattr(args, each.name) for each in fields(ServerLimits)})
    token = _token(args)
    spec = agent_from_text(args.agent)
    app = _app(args.protocol, spec, limits, token, args.game)
    listener = listen(args.host, args.port, tuple(args.name))
    guard = Guard(app, listener.address, token if args.protocol == "arena" else None)
    path = "" if args.protocol == "arena" else f"/{spec.family}"
    if path and token is not None:
        path = f"/{token}{path}"
    print(f"{spec.family} plays at {listener.address.url}{path}", flush=True)
    listener.serve(guard, connections=limits.sessions + 64)
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _app(
    protocol: str, spec: AgentSpec, limits: ServerLimits, token: str | None, games: list[str] | None
) -> App:
    agents = Agents(spec)
    if protocol == "arena":
        agents.compile_for((GAMES.get(game)() for game in games or GAMES), _say)
        return AgentApp(spec.family, Sessions(agents, limits))
    agents.compile_for([RULES], _say)
    agents.build(RULES).close()  # refused if it does not play Schieber
    return PlayerApp(spec.family, agents, limits, token=token)


def _token(args: argparse.Namespace) -> str | None:
    token = os.environ.get(TOKEN_VARIABLES)
    if token:
        return check_token(token, TOKEN_VARIABLES)
    if not is_loopback(args.host):
        raise ArenaError(
            f"--host {args.host}: other machines could use this server, so it needs a token in the "
            f"environment variable {TOKEN_VARIABLES}, such as {new_token()}"
        )
    return None

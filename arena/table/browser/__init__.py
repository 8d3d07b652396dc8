"""The table in the browser: people at one table, on this machine or on a local network.

* `host`: the table itself: the chairs, the turns and the pace of the agents;
* `people`: their chairs and connections; `same_cards`: other tables that play the same deals;
* `messages`: what goes over the wire, to each connection only what its seat may know;
* `lessons`: the moments of a round that are worth another look;
* `server`: pages, WebSockets and links with tokens, behind the guard of `arena.web`.

`page/` has the page: plain JavaScript without a build step, and the cards. The faces in
`french.svg` are Adrian Kennard's, in the public domain (CC0, see `french.LICENSE`).
"""

"""Networks, trained with numpy.

| module | content |
|---|---|
| `learner` | a network that learns batch by batch; its whole state is plain arrays |
| `positions` | rounds as positions, and positions as the inputs of networks |
| `epochs` | epochs over rounds until the loss on held-out rounds stops falling |
| `value` | `arena train value`: the margin of the round, from recorded rounds |
| `selfplay` | `arena train selfplay`: the same from rounds that the network plays itself |
| `seat` | `arena train seat`: which card a seat plays, and who holds which card |
| `card_rounds` | rounds played by a network that values cards |
| `card_labels` | the value of every legal card of a decision, by playouts |
| `card_network` | `arena train policy` with `kind: network`: the value of every card |
| `temperature` | the temperature at which these values explain best how others play |
| `trump` | `arena train trump`: which trump to name in Schieber |
"""

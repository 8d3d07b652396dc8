"""Training of networks: from rounds to models, with torch. Playing needs none of this.

| module | what |
|---|---|
| `policy_rounds` | rounds that a policy plays, in compiled code |
| `examples` | rounds as positions, and positions as the inputs of networks |
| `learner` | a network that learns batch by batch, and can be put down and taken up again |
| `fitting` | epochs over rounds, with rounds held out, until it gets no better |
| `curves` | how training goes, in the terminal and as a figure |
| `value` | `arena train value`: who will win, from recorded rounds |
| `selfplay` | `arena train selfplay`: the same from rounds that the network plays itself |
| `seat` | `arena train seat`: what a seat plays and who holds what |
| `card_rounds` | rounds that a network that values cards plays, with strangers among others |
| `card_labels` | what every card of a decision would have come to |
| `cards` | `arena train policy` with `kind: network`: the value of every card |
| `temperature` | how sharply values explain what others play |
| `trump` | `arena train trump`: which trump to name in Schieber |
"""

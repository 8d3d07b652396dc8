"""Training: from rounds to the models that agents play with. Nothing that plays imports this.

| module | content |
|---|---|
| `rounds`, `recordings`, `policy_play` | rounds to learn from, played or recorded |
| `trainer` | the contract of trainers, and the loop with checkpoints that runs them |
| `margins` | how strong a player in training is, by play |
| `nats` | how much a policy knows about the hidden cards |
| `curves` | learning curves for the terminal, and as figures |
| `policy` | `arena train policy`: chooses between tables and networks |
| `tables` | log-linear tables, fitted to how players play and bid |
| `networks` | all other networks and `arena train policy` with `kind: network` |
| `forests` | `arena train forest`; needs scikit-learn |
"""

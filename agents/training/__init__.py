"""Training: from rounds to the models that agents play with. Nothing that plays imports this.

| module | what |
|---|---|
| `rounds`, `recordings`, `policy_rounds` | rounds to learn from, played or recorded |
| `nats` | how much a policy knows about the hidden cards |
| `curves` | learning curves for the terminal, and as figures |
| `tables` | `arena train policy`: log-linear tables |
| `networks` | all other networks and `arena train policy` with `kind: network`; needs torch |
| `forests` | `arena train forest`; needs scikit-learn |
"""

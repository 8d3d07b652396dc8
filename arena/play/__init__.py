"""Playing: what an experiment is, who sits where, the referee and the workers."""

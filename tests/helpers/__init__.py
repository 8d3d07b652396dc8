"""What several test modules share: small games, agents, runs and known answers."""

"""The domain: cards, deals, rules, agents, scores, and their text and JSON forms."""

"""`arena train policy`: log-linear tables, fitted to how players play and bid."""

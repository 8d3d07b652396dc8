"""Random forests for Klaverjas: features, models, compiled play."""

"""The random forest player of Hordijk 2022: features, training, models, compiled play."""

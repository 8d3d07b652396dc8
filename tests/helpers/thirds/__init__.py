"""A game of three for the tests: everybody for themselves, so three sides."""

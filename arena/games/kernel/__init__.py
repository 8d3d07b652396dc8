"""The compiled trick machine, one for all games; README.md beside this file is its manual."""

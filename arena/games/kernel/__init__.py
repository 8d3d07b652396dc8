"""The compiled trick-taking kernel, one for all games; README.md in this folder documents it."""

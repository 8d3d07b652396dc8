"""Tools for maintainers: speed (`bench`) and error rates of the statistics (`calibrate`)."""

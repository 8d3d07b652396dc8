"""A tournament: the schedule, the referee, the workers and the run that stores their results."""

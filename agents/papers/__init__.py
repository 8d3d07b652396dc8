"""Players, bidders and deviations that only reproduce a published program."""

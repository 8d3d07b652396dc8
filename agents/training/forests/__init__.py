"""`arena train forest`: random forests as in Hordijk 2022, grown with scikit-learn."""

"""The method over whole data sets: rows in, every call kept, a report that a killed run takes up again."""

"""The default parser: staged query graph generation (as in QGG), scored by a log-linear model."""

"""What is done by mouse as well as in words: a case whose values are moved, a threshold that slides, points that are chosen."""

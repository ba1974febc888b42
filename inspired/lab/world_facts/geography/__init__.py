"""Places, areas and borders, rivers and lakes."""

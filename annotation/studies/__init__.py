"""Studies: items that workers answer in phases under rules that the server holds; everything of them except screens."""

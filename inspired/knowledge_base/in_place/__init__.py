"""Questions in words over knowledge bases that are not held in memory: store folders, large files and endpoints."""

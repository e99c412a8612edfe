"""One file or folder for each part of the project."""

"""What runs beside task programs in the sandbox."""

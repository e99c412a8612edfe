"""Tasks as a server: sessions that any client plays, with the verdict at their end."""

"""Tools that can be called in an episode: functions of a domain, search, pages of the web, code."""

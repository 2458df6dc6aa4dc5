"""The transport agent: shuttle lines, departures and parking on campus."""

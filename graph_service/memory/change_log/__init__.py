"""What viewers are told: numbered changes of the map."""

"""All answers of a study before a lead: searched, filtered, and decided on together."""

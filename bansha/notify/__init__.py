"""What reaches people who are not looking: feeds, calendars, and notices that never say more than "come and look"."""

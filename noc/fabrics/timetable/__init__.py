"""All nodes broadcast in rounds, by a timetable, with every link busy."""

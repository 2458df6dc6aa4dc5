"""The canteen agent: dishes, stalls, crowding and reviews of the campus canteens."""

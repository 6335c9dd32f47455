# Lists as CSV.
sim list policies --format csv

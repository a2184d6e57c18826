-- Whether acts that rules count together stand on a reel.
create or replace function treeos.is_tally(reel text) returns boolean language sql immutable as $$
  select starts_with(reel, 'tally:')
$$;

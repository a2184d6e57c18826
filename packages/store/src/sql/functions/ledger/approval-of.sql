-- The call that waits for a yes to which a reel belongs. Null for any other reel.
create or replace function treeos.approval_of(reel text) returns text language sql immutable as $$
  select substr(reel, length(approval_reel('')) + 1) where starts_with(reel, approval_reel(''))
$$;

-- The accounts on which unsettled attempts of a moment have reservations.
create or replace function treeos.reserved_accounts(for_moment text) returns text[]
language sql stable set search_path = treeos, pg_temp as $$
  select coalesce(array_agg(distinct name), '{}')
  from reservation, unnest(accounts) as name where moment = for_moment and settled_at is null
$$;

-- What an inbox entry says of a call that waits for a yes: asked, approved, denied or expired. Null for any
-- other entry. A summon of a being called `asked` has an id that begins alike.
create or replace function treeos.about_approval(kind text, id text) returns text language sql immutable as $$
  select how from split_part(id, '/', 1) how where kind = 'event' and how in ('asked', 'approved', 'denied', 'expired')
$$;

-- Whether a wake brings the yes to a call that waited for it: an event. A summon of a being called `approved`
-- has an id that begins alike.
create or replace function treeos.brings_yes(kind text, id text) returns boolean language sql immutable as $$
  select kind = 'event' and starts_with(id, 'approved/')
$$;

-- Id of an inbox entry about a call that waits for a yes: asked/ID/PERSON, with /REVISION behind it after the
-- call was changed; or approved/ID, denied/ID or expired/ID of the being that asked. approval_in reads it.
create or replace function treeos.approval_entry(how text, its_id text, who text default null, revision integer default 1) returns text
language sql immutable as $$
  select how || '/' || its_id || coalesce('/' || who, '') || case when revision > 1 then '/' || revision else '' end
$$;

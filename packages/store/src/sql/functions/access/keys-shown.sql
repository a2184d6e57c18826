-- The keys of the sealed texts that something shows, for logins that read no keys: a finished moment shows
-- the notes that it recalled, an open entry that asks a person what its call is to keep, and a thing from
-- outside itself, so that a person may vouch for it.
create or replace function treeos.keys_shown(shown_in text) returns table (id text, key bytea)
language sql stable security definer set search_path = treeos, pg_temp as $$
  select s.id, s.key from moment_open o
      cross join lateral jsonb_path_query(json_of(o.basis), '$.noted.aside.recalled.notes[*].id') as recalled(id)
      join sealed_text s on s.id = recalled.id #>> '{}'
    where o.moment = shown_in and exists (select from moment_outcome m where m.moment = o.moment)
  union all
  select s.id, s.key from inbox i join sealed_text s on s.wake = approval_entry('approved', approval_in(i.id))
    where i.id = shown_in and i.closed_by is null and about_approval(i.kind, i.id) = 'asked'
  union all
  select s.id, s.key from projection p join sealed_text s on 'matter:' || s.id = p.key
    where p.key = shown_in and json_of(convert_to(p.state, 'UTF8'))->'outside' = 'true'
$$;

-- Keeps the table of children equal to the rows of beings. A child without a profile counts as a generalist. A row may hold a
-- NUL, which Postgres cannot read out of JSON: the table then keeps what it had.
create or replace function treeos.keep_children() returns trigger
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  profile json := '{}';
begin
  if tg_op = 'DELETE' then
    delete from children where child = substr(old.key, 7);
    return null;
  end if;
  insert into children (child, parent) values (substr(new.key, 7), new.parent) on conflict do nothing;
  if new.state not like '%"lineage":{%' then return null; end if;
  begin
    profile := coalesce(new.state::json #> '{qualities,lineage}', '{}');
    if json_typeof(profile) <> 'object' then profile := '{}'; end if;
    update children set role = coalesce(profile ->> 'role', 'generalist'), state = profile ->> 'state',
        asleep = coalesce(profile ->> 'asleep' = 'true', false)
      where child = substr(new.key, 7);
  exception when untranslatable_character then null;
  end;
  return null;
end $$;

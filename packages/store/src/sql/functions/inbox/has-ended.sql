-- Whether a being was ended. It claims every wake that is left, whatever its kind, and closes it.
create or replace function treeos.has_ended(whose text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select coalesce((select cognition from projection where key = 'being:' || whose) = 'ended', false)
$$;

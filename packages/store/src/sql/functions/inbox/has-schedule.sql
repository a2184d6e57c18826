-- Whether a being has a schedule of this name now. A row may hold a NUL, which Postgres cannot read out of
-- JSON: then it may.
create or replace function treeos.has_schedule(whose text, schedule text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
begin
  return coalesce((select state::json #> array['qualities', 'schedule', schedule] is not null
    from projection where key = 'being:' || whose), false);
exception when untranslatable_character then return true;
end $$;

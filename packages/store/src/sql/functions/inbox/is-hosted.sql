-- Whether workflows of a host act as this being: a person other than the first operator, whose quality
-- `wake.workflows` is true. A row may hold a NUL, which Postgres cannot read out of JSON: then none do.
create or replace function treeos.is_hosted(whose text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
begin
  return coalesce((
    select cognition = 'human' and parent is not null and (state::json #>> '{qualities,wake,workflows}') = 'true'
    from projection where key = 'being:' || whose), false);
exception when untranslatable_character then return false;
end $$;

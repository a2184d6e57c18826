-- Whether a wake of this kind wakes the being: persons only by acts, other beings by any kind.
create or replace function treeos.wakes(whose text, row_kind text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select row_kind = 'act' or coalesce((select cognition from projection where key = 'being:' || whose) <> 'human', false)
$$;

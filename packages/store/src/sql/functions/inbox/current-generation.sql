-- The generation of a being that lives now.
create or replace function treeos.current_generation(whose text) returns integer
language sql stable set search_path = treeos, pg_temp as $$
  select max(generation) from life where being = whose
$$;

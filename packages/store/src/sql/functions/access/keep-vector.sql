-- Adds the vector of a note by a model. Nothing takes one back: whoever has the login of a worker could
-- otherwise move a note away from what it is like. Another model adds its own. The most is that of
-- VECTORS_MAX in sealed-texts.ts. Returns nothing also where the note is gone, or the model made one before.
create or replace function treeos.keep_vector(its_id text, its_model text, its_vector real[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (array_length(its_vector, 1) between 1 and 8192 and octet_length(its_model) <= 256
      and not its_vector && '{NaN,Infinity,-Infinity}' and array_position(its_vector, null) is null) is not true then
    raise exception 'refused: a vector has 1 to 8192 numbers' using errcode = '42501';
  end if;
  update sealed_text set vectors = vectors || row(its_model, its_vector)::note_vector
    where id = its_id and wake is null and cardinality(vectors) < 8
      and not exists (select from unnest(vectors) v where v.model = its_model);
end $$;

-- Keeps the vector of a sealed text, by one model.
create or replace function treeos.keep_vector(its_id text, its_model text, its_vector real[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (array_length(its_vector, 1) between 1 and 8192 and octet_length(its_model) <= 256) is not true then
    raise exception 'refused: a vector has 1 to 8192 numbers' using errcode = '42501';
  end if;
  update sealed_text set model = its_model, vector = its_vector where id = its_id;
end $$;

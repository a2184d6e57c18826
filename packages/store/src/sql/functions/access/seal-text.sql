-- Makes the key of a sealed text and the words by which it is found, unless there is one of this id. Returns the key that counts; nothing where the
-- text belongs to another being. The text itself is not stored.
create or replace function treeos.seal_text(its_id text, whose text, its_key bytea, its_text text) returns bytea
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  kept bytea;
begin
  if (its_id ~ '^note-[0-9a-f]{32}$' and octet_length(its_key) = 32) is not true
    or not exists (select from projection where key = 'being:' || whose)
  then
    raise exception 'refused: a sealed text has an id, a being and a key of 32 bytes' using errcode = '42501';
  end if;
  insert into sealed_text (id, being, key, words)
    values (its_id, whose, its_key, to_tsvector('english', left(its_text, 8192)))
    on conflict (id) do nothing;
  select key into kept from sealed_text where id = its_id and being = whose;
  return kept;
end $$;

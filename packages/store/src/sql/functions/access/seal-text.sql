-- Makes the key of a sealed text and the words by which it is found, unless there is one of this id. The text
-- waits for a wake: an open one, or an act that will be put into an inbox. Returns the key that counts.
-- Nothing where the text belongs to another being or another wake, where its thing was made before, so that
-- what was erased does not come back, where that wake is over, and where 100 texts of the being wait. The
-- text itself is not stored.
create or replace function treeos.seal_text(its_id text, whose text, its_wake text, its_key bytea, its_text text) returns bytea
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  kept sealed_text;
begin
  if (its_id ~ '^note-[0-9a-f]{32}$' and octet_length(its_key) = 32 and octet_length(its_wake) <= 512) is not true
    or not exists (select from projection where key = 'being:' || whose)
    or not its_wake ~ '^act/[^/]+$' and not exists (select from inbox where id = its_wake)
  then
    raise exception 'refused: a sealed text has an id, a being, a wake and a key of 32 bytes' using errcode = '42501';
  end if;
  select * into kept from sealed_text where id = its_id;
  if not found then
    if exists (select from inbox where id = its_wake and closed_by is not null)
      or exists (select from head where reel = 'matter:' || its_id and seq > 0)
      or (select count(*) from sealed_text where being = whose and wake is not null) >= 100
    then
      return null;
    end if;
    insert into sealed_text (id, being, wake, key, words)
      values (its_id, whose, its_wake, its_key, to_tsvector('english', left(its_text, 8192)))
      on conflict (id) do nothing;
    select * into kept from sealed_text where id = its_id;
  end if;
  return case when kept.being = whose and (kept.wake is null or kept.wake = its_wake) then kept.key end;
end $$;

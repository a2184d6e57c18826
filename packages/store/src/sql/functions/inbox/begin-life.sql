-- Returns the generation of a being's Temporal execution chain, and starts a new one for a new chain. Frees
-- the wakes that older lives claimed. Like claim and open_moment, it locks the head of the being's records,
-- so an older life claims and opens nothing once a younger one has begun.
create or replace function treeos.begin_life(whose text, its_chain text, genesis text) returns integer
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  records text := 'moments:' || whose;
  mine integer;
begin
  if decode(genesis, 'hex') is distinct from genesis(records) then
    raise exception 'the genesis hash for the records of % is not that of this reality', whose using errcode = 'TR002';
  end if;
  insert into head (reel, seq, hash, state_seq) values (records, 0, genesis(records), 0) on conflict do nothing;
  perform 1 from head where reel = records for update;
  select generation into mine from life where being = whose and chain = its_chain;
  if not found then
    mine := coalesce(current_generation(whose), 0) + 1;
    insert into life (being, generation, chain) values (whose, mine, its_chain);
    -- A wake that was claimed and never opened becomes free, also where its moment was opened for another
    -- one. One that was opened is closed by its superseded outcome.
    update inbox set claimed_by = null
      where being = whose and closed_by is null and claimed_by is not null
        and not exists (select from moment_open o where o.moment = claimed_by and o.wake = inbox.id);
  end if;
  return mine;
end $$;

-- Locks all heads that plain batches have read, in the order in which append locks those of one. One
-- statement locks all heads that follow each other and are locked alike.
create or replace function treeos.lock_batches(batches jsonb[]) returns void language plpgsql as $$
declare
  wanted record;
  alike text[] := '{}';
  are_written boolean;
  nothing text; -- as in append
begin
  -- Missing heads first, as in lock_and_check.
  insert into head (reel, seq, hash, state_seq)
    select distinct on (h.reel collate "C") h.reel, 0, genesis(h.reel), 0
    from unnest(batches) b cross join lateral jsonb_to_recordset(b->'heads') as h(reel text, seq bigint)
    where h.seq = 0 and (select true from head where reel = h.reel) is null
    order by h.reel collate "C"
    on conflict do nothing;
  for wanted in
    select h.reel, coalesce(bool_or(h.write), false) as write
    from unnest(batches) b cross join lateral jsonb_to_recordset(b->'heads') as h(reel text, write boolean)
    group by h.reel order by h.reel collate "C"
  loop
    if wanted.write <> are_written then
      nothing := lock_alike(alike, are_written);
      alike := '{}';
    end if;
    are_written := wanted.write;
    alike := alike || wanted.reel;
  end loop;
  nothing := lock_alike(alike, are_written);
end $$;

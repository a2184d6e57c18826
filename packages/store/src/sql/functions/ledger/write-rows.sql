-- Writes rows of the projection: each the fold of a reel up to a fact of this batch.
-- @param guarded the batch comes from a worker
-- @param watches a row says what wakes its being; `accounts`, `leases`: a row brings one
create or replace function treeos.write_rows(batch jsonb, guarded boolean, out watches boolean, out accounts boolean, out leases boolean)
language plpgsql as $$
declare
  facts jsonb := batch->'facts';
  rows jsonb := batch->'rows';
  r jsonb;
  written text[] := '{}';
  stored projection;
begin
  watches := false;
  accounts := false;
  leases := false;
  if guarded then
    for i in 0 .. coalesce(jsonb_array_length(rows), 0) - 1 loop
      select * into stored from projection where key = rows#>>array[i::text, 'key'];
      if is_folded(facts, rows->i, stored) is not true then
        raise exception 'refused: the row % is not what facts of its reel in the same batch make of it', rows#>>array[i::text, 'key']
          using errcode = '42501';
      end if;
    end loop;
  end if;
  -- Most rows are there already. To insert one `on conflict` would lock it first, and takes twice as long.
  for i in 0 .. coalesce(jsonb_array_length(rows), 0) - 1 loop
    r := rows->i;
    if i > 0 and r->>'key' = any(written) then
      raise exception 'a batch brings the row % twice', r->>'key' using errcode = '21000';
    end if;
    written := written || (r->>'key');
    watches := watches or coalesce(jsonb_typeof(r->'watches') = 'array', false);
    accounts := accounts or coalesce(jsonb_typeof(r->'account') = 'object', false);
    leases := leases or coalesce(jsonb_typeof(r->'lease') = 'object', false);
    update projection set state = r->>'state', folded_seq = (r->>'foldedSeq')::bigint, place = r->>'place', parent = r->>'parent',
        cognition = r->>'cognition'
      where key = r->>'key';
    if not found then
      insert into projection (key, reel, state, folded_seq, place, parent, cognition)
        values (r->>'key', r->>'reel', r->>'state', (r->>'foldedSeq')::bigint, r->>'place', r->>'parent', r->>'cognition');
    end if;
  end loop;
end $$;

-- Writes rows of the projection: each the fold of a reel up to a fact of this batch.
-- @param guarded the batch comes from a worker
create or replace function treeos.write_rows(batch jsonb, guarded boolean) returns void language plpgsql as $$
declare
  written integer;
begin
  insert into projection (key, reel, state, folded_seq, place, parent, cognition)
    select r.key, r.reel, r.state, r."foldedSeq", r.place, r.parent, r.cognition
    from jsonb_to_recordset(batch->'rows') as r(key text, reel text, state text, "foldedSeq" bigint, place text, parent text,
      cognition text, watches jsonb)
    where not guarded or is_folded(batch, r.key, r.reel, r."foldedSeq", r.parent, r.cognition, jsonb_typeof(r.watches) = 'array')
    on conflict (key) do update set state = excluded.state, folded_seq = excluded.folded_seq, place = excluded.place,
      parent = excluded.parent, cognition = excluded.cognition;
  get diagnostics written = row_count;
  if written <> jsonb_array_length(batch->'rows') then
    raise exception 'refused: a row changes only by facts of its reel in the same batch' using errcode = '42501';
  end if;
end $$;

-- Writes rows of the projection: each the fold of a reel up to a fact of this batch.
-- @param guarded the batch comes from a worker
create or replace function treeos.write_rows(batch jsonb, guarded boolean) returns void language plpgsql as $$
declare
  facts jsonb := batch->'facts';
  rows jsonb := batch->'rows';
begin
  if guarded then
    for i in 0 .. jsonb_array_length(rows) - 1 loop
      if is_folded(facts, rows->i) is not true then
        raise exception 'refused: the row % is not what facts of its reel in the same batch make of it', rows#>>array[i::text, 'key']
          using errcode = '42501';
      elsif is_mark_kept(facts, rows->i) is not true then
        raise exception 'refused: the row % loses its mark of words from outside, and nobody vouched for it', rows#>>array[i::text, 'key']
          using errcode = '42501';
      end if;
    end loop;
  end if;
  insert into projection (key, reel, state, folded_seq, place, parent, cognition)
    select r.key, r.reel, r.state, r."foldedSeq", r.place, r.parent, r.cognition
    from jsonb_to_recordset(rows) as r(key text, reel text, state text, "foldedSeq" bigint, place text, parent text,
      cognition text)
    on conflict (key) do update set state = excluded.state, folded_seq = excluded.folded_seq, place = excluded.place,
      parent = excluded.parent, cognition = excluded.cognition;
end $$;

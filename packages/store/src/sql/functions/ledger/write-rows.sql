-- Writes rows of the projection.
create or replace function treeos.write_rows(rows jsonb) returns void language plpgsql as $$
begin
  insert into projection (key, reel, state, folded_seq, place, parent, cognition)
    select r.key, r.reel, r.state, r."foldedSeq", r.place, r.parent, r.cognition
    from jsonb_to_recordset(rows) as r(key text, reel text, state text, "foldedSeq" bigint, place text, parent text,
      cognition text)
    on conflict (key) do update set state = excluded.state, folded_seq = excluded.folded_seq, place = excluded.place,
      parent = excluded.parent, cognition = excluded.cognition;
end $$;

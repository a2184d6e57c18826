-- Replaces the watches of the beings whose rows bring watches. A watch is {reel, path} of a roleFlow, or a
-- subscription: {reel, path, subscription: {name, equals, priority, coalesceSeconds}}. Append holds the heads
-- of the watched reels here, so it is settled for each change whether it came before.
create or replace function treeos.write_watches(rows jsonb) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  delete from watch where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, watches jsonb)
    where jsonb_typeof(r.watches) = 'array');
  insert into watch (being, reel, path, name, equals, priority, coalesce_seconds)
    select substr(r.key, 7), w.reel, w.path, coalesce(s.name, ''), nullif(s.equals, 'null'), s.priority,
      coalesce(s."coalesceSeconds", 0)
    from jsonb_to_recordset(rows) as r(key text, watches jsonb),
      jsonb_to_recordset(case jsonb_typeof(r.watches) when 'array' then r.watches else '[]' end)
        as w(reel text, path text, subscription jsonb),
      jsonb_to_record(coalesce(w.subscription, '{}'))
        as s(name text, equals jsonb, priority smallint, "coalesceSeconds" integer)
    on conflict do nothing;
end $$;

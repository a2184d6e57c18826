-- Whether a row keeps its mark of words from outside: one that was marked, or into which a fact of the batch puts a mark, has it, unless the
-- last such fact about the row says that a person vouches for it.
-- @param r the row, as the batch brings it
-- @param stored the row, as it is stored; null: it is not yet
create or replace function treeos.is_mark_kept(facts jsonb, r jsonb, stored treeos.projection) returns boolean language plpgsql stable as $$
declare
  was_marked boolean;
begin
  if is_marked(r->>'state') then
    return true;
  end if;
  was_marked := is_marked(stored.state);
  if was_marked is not true and not facts @> '[{"kind": "origin:outside"}]' then
    return true;
  end if;
  return coalesce((
    select f.kind = 'origin:vouched' from jsonb_to_recordset(facts) as f(reel text, seq bigint, kind text, bytes text)
    where f.kind in ('origin:outside', 'origin:vouched') and f.reel = r->>'reel'
      and (f.reel <> 'registry' or 'role:' || (told(decode(f.bytes, 'hex'))->>'name') = r->>'key')
    order by f.seq desc limit 1), was_marked is not true);
end $$;

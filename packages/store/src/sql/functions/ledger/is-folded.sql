-- Whether facts of a batch can make a row what it is: its last fact is there; a being is born with the maker and the mind that its fact
-- tells; later its maker stays, and who decides for it and what wakes it change by some facts only. That the rest of a row is the
-- fold of its reel, `treeos verify` shows.
create or replace function treeos.is_folded(batch jsonb, its_key text, its_reel text, its_seq bigint, its_parent text,
  its_cognition text, has_watches boolean)
returns boolean language plpgsql stable as $$
declare
  kinds text[];
  last text; -- the payload of its last fact
  told text; -- of its birth
  before projection;
begin
  select array_agg(f.kind), max(convert_from(decode(f.bytes, 'hex'), 'UTF8')) filter (where f.seq = its_seq),
      max(convert_from(decode(f.bytes, 'hex'), 'UTF8')) filter (where f.kind = 'being:born')
    into kinds, last, told
    from jsonb_to_recordset(batch->'facts') as f(reel text, seq bigint, kind text, bytes text)
    where f.reel = its_reel;
  if last is null then
    return false;
  elsif its_reel = 'registry' then
    return its_key like 'role:%' and position(format('"name":"%s"', substr(its_key, 6)) in last) > 0;
  elsif its_key <> its_reel then
    return false;
  elsif its_key not like 'being:%' then
    return its_parent is null and its_cognition is null;
  elsif told is not null then
    return case when position('\u0000' in told) > 0 -- jsonb does not take it
      then its_parent = batch->>'being' and position(format('"cognition":{"kind":"%s"', its_cognition) in told) > 0
      else its_parent = told::jsonb->>'parent' and its_cognition = told::jsonb#>>'{cognition,kind}' end;
  end if;
  select * into before from projection where key = its_key;
  return before.parent is not distinct from its_parent
    and (before.cognition is not distinct from its_cognition
      or kinds && array['being:inhabited', 'being:released', 'being:paused', 'being:unpaused', 'being:ended'])
    and (has_watches is not true or kinds && array['quality:set', 'being:moved', 'being:ended']);
end $$;

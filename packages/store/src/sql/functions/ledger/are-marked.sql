-- Whether each row into which facts of a batch write words is marked: by a fact behind them, or before.
create or replace function treeos.are_marked(facts jsonb) returns boolean language sql stable as $$
  select not exists (
    select from jsonb_to_recordset(facts) as f(reel text, seq bigint, kind text, bytes text)
    where f.kind in ('being:born', 'quality:set', 'space:created', 'signal:published', 'role:set', 'matter:created', 'matter:written')
      and not exists (
        select from jsonb_to_recordset(facts) as m(reel text, seq bigint, kind text, bytes text)
        where m.kind = 'origin:outside' and m.reel = f.reel and m.seq > f.seq
          and (f.reel <> 'registry' or told(decode(m.bytes, 'hex'))->>'name' = told(decode(f.bytes, 'hex'))->>'name'))
      and not exists (
        select from projection p
        where p.key = case f.reel when 'registry' then 'role:' || (told(decode(f.bytes, 'hex'))->>'name') else f.reel end
          and is_marked(p.state)))
$$;

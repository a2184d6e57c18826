-- Whether each account that rows bring is what facts of the batch on its being's reel make of the account
-- before: its limits and its revision come from a budget, and a park from a limit that it met. It stays,
-- since what was used up of a budget cannot be taken back.
create or replace function treeos.is_accounted(batch jsonb) returns boolean language plpgsql stable as $$
declare
  r record;
  f record;
  a account;
  park jsonb; -- {of, revision, until}
  counts boolean;
begin
  for r in
    select key, account said from jsonb_to_recordset(batch->'rows') as r(key text, account jsonb) where jsonb_typeof(account) = 'object'
  loop
    select * into a from account where being = substr(r.key, 7) and revision > 0; -- below that are the counts of a standard budget
    a.revision := coalesce(a.revision, 0);
    park := (select jsonb_build_object('of', p.of, 'revision', p.revision, 'until', round(extract(epoch from p.until) * 1000))
      from parking p where p.being = substr(r.key, 7));
    counts := false;
    for f in
      select kind, told(decode(bytes, 'hex')) told from jsonb_to_recordset(batch->'facts') as f(reel text, seq bigint, kind text, bytes text)
      where reel = r.key and kind in ('being:born', 'being:budgeted', 'being:parked', 'being:unparked') order by seq
    loop
      counts := true;
      if f.kind in ('being:born', 'being:budgeted') then
        a.tokens_max := f.told#>>'{budget,tokens}';
        a.moments_max := f.told#>>'{budget,momentsPerMinute}';
        a.micros_max := round((f.told#>>'{budget,money}')::numeric * 1000000);
        a.per := coalesce(f.told#>>'{budget,per}', 'total');
        a.revision := case f.kind when 'being:born' then coalesce((f.told#>>'{budget,revision}')::integer, 0) else a.revision + 1 end;
      elsif f.kind = 'being:parked' then
        park := f.told->'breach';
      else
        park := null;
      end if;
    end loop;
    if (counts
      and (r.said->>'tokens', r.said->>'momentsPerMinute', r.said->>'micros', r.said->>'per', r.said->>'revision')
        is not distinct from (a.tokens_max::text, a.moments_max::text, a.micros_max::text, coalesce(a.per, 'total'), a.revision::text)
      and (r.said#>>'{parked,of}', r.said#>>'{parked,revision}', r.said#>>'{parked,until}')
        is not distinct from (park->>'of', park->>'revision', park->>'until')) is not true
    then
      return false;
    end if;
  end loop;
  return true;
end $$;

-- Whether what facts of a batch mark, or vouch for, has its row in the batch. With the mark in the reel alone, the next row of it could be written as
-- if it had none.
create or replace function treeos.are_marks_folded(facts jsonb, rows jsonb) returns boolean language sql stable as $$
  select not exists (
    select from jsonb_to_recordset(facts) as f(reel text, kind text, bytes text)
    where f.kind in ('origin:outside', 'origin:vouched')
      and not rows @> jsonb_build_array(jsonb_build_object('key',
        case f.reel when 'registry' then 'role:' || (told(decode(f.bytes, 'hex'))->>'name') else f.reel end)))
$$;

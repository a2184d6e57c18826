-- What becomes of sealed texts by the facts of a batch: the thing of its id holds one, or a call that waits
-- for a yes does. Of a call that nobody will say yes to any more, and of one that a person changed, the texts
-- are deleted. Close_moment deletes what waits for its wake after that.
create or replace function treeos.settle_sealed(batch jsonb) returns void language plpgsql as $$
declare
  this_wake text := batch#>>'{outcome,wake}';
  f record;
  yes text;
begin
  for f in
    select r.reel, r.kind, array(
        select m[1] from regexp_matches(encode(decode(r.bytes, 'hex'), 'escape'), 'sealed:(note-[0-9a-f]{32}):', 'g') m) held
    from jsonb_to_recordset(batch->'facts') as r(reel text, kind text, bytes text)
    where r.kind in ('matter:created', 'matter:written', 'approval:asked', 'approval:given', 'approval:denied', 'approval:expired')
  loop
    if f.kind like 'matter:%' then
      update sealed_text set wake = null
        where 'matter:' || id = f.reel and id = any(f.held) and wake = this_wake and being = batch->>'being';
      continue;
    end if;
    yes := approval_entry('approved', approval_of(f.reel));
    if f.kind in ('approval:asked', 'approval:given') then
      update sealed_text set wake = yes
        where id = any(f.held) and wake = this_wake and being = split_part(approval_of(f.reel), '/', 1);
      delete from sealed_text where wake = yes and id <> all(f.held);
    else
      delete from sealed_text where wake = yes;
    end if;
  end loop;
end $$;

-- Erases what the tombstones among these facts name. Called by append after it wrote them. What is erased is
-- deleted with its copies: in inboxes, and in the stored faces of moments that showed it. Refuses what is not
-- there, or lasts.
create or replace function treeos.erase(facts jsonb) returns void language plpgsql as $$
declare
  f record;
begin
  for f in
    select r.reel, r.kind, json_of(decode(r.bytes, 'hex')) told
    from jsonb_to_recordset(facts) as r(reel text, kind text, bytes text)
    where r.kind in ('fact:erased', 'moment:erased')
  loop
    if f.kind = 'fact:erased' then
      perform erase_fact(f.reel, (f.told->>'seq')::bigint, decode(f.told->>'hash', 'hex'));
    else
      perform erase_moment(f.reel, f.told->>'moment');
    end if;
  end loop;
end $$;

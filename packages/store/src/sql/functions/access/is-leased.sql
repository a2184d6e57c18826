-- Whether each lease that rows bring begins or ends by a fact of the batch on its being's reel, for the
-- seconds that a lease has.
create or replace function treeos.is_leased(batch jsonb) returns boolean language plpgsql stable as $$
begin
  return (select bool_and((batch->>'leaseSeconds')::integer between 1 and 60 and exists (
    select from jsonb_to_recordset(batch->'facts') as f(reel text, kind text, bytes text),
      json_of(decode(f.bytes, 'hex')) told
    where f.reel = r.key and (told->>'epoch')::integer = (r.lease->>'epoch')::integer
      and case f.kind when 'being:released' then r.lease->>'driver' is null
        when 'being:inhabited' then (told->>'by', told->>'under') is not distinct from (r.lease->>'driver', r.lease->>'under')
        else false end))
  from jsonb_to_recordset(batch->'rows') as r(key text, lease jsonb)
  where jsonb_typeof(r.lease) = 'object');
end $$;

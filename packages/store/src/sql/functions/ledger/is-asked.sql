-- Whether a moment decided what a person's act asks for, under the lease that it was given. Content and
-- decision are canonical JSON, and compared as text: they may hold a NUL, which jsonb does not take. By the
-- order of their names a lease is the last field of the content, but for the signature of a passkey. It
-- stays, since the act of a person decides that act and no other.
create or replace function treeos.is_asked(act treeos.inbox, its_moment text, its_lease integer) returns boolean
language plpgsql stable as $$
declare
  said text := convert_from(act.content, 'UTF8');
  decided text := (select convert_from(bytes, 'UTF8') from moment_decision where moment = its_moment);
  -- A value without the form of a signature stays, and then no lease stands at the end.
  unsigned text := regexp_replace(said, ',"salt":"[0-9a-f]{64}","signed":\{("[A-Za-z]+":("[A-Za-z0-9_-]*"|\d+),?)+\}\}$', '}');
  begins text := substring(said from '^\{"answers":(?:null|"(?:[^"\\]|\\.)*"),"call":');
begin
  return starts_with(decided, '{"call":') and right(decided, 30) = ',"content":null,"kind":"call"}'
    and starts_with(substr(said, length(begins) + 1), substr(decided, 9, length(decided) - 8 - 30))
    and its_lease is not distinct from substring(unsigned from ',"lease":\{"driver":"[^"]+","epoch":(\d+)\}\}$')::integer;
end $$;

-- Records that the call of a mind was cancelled, as the decision of its moment, unless there is one: the
-- first answer counts. The worker that makes the call finds it and gives the call up. Who may cancel is
-- checked by whoever asks. Returns
--   cancelled  the moment will end as a failure, also when it was cancelled before
--   decided    its mind, or its person, had decided
--   over       the moment has its outcome
--   unknown    no such moment is open
create or replace function treeos.cancel_call(for_moment text, its_digest text, its_salt bytea, its_bytes bytea) returns text
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  said jsonb := convert_from(its_bytes, 'UTF8')::jsonb;
  kind_of_wake text;
begin
  if (said - 'message' = '{"kind": "failure", "code": "CANCELLED"}' and octet_length(said->>'message') between 1 and 200
    and its_digest = encode(sha256('treeos.payload.v1\000'::bytea || its_salt || its_bytes), 'hex')) is not true
  then
    raise exception 'refused: a call is cancelled by a failure with the code CANCELLED' using errcode = '42501';
  end if;
  select i.kind into kind_of_wake from moment_open m join inbox i on i.id = m.wake where m.moment = for_moment;
  if not found then
    return 'unknown';
  end if;
  if exists (select from moment_outcome where moment = for_moment) then
    return 'over';
  end if;
  if kind_of_wake = 'act' then
    return 'decided';
  end if;
  insert into moment_decision (moment, kind, digest, salt, bytes) values (for_moment, 'failure', its_digest, its_salt, its_bytes)
    on conflict (moment) do nothing;
  if found or exists (select from moment_decision where moment = for_moment and kind = 'failure'
    and convert_from(bytes, 'UTF8')::jsonb->>'code' = 'CANCELLED')
  then
    return 'cancelled';
  end if;
  return 'decided';
end $$;

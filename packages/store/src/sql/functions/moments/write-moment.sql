-- Writes the open record and the decision that a batch brings together with the outcome of their moment. What
-- is stored already stays. Raises TR004 when another open record or another decision of the moment is stored:
-- the outcome was made from one that does not count. The append also checks that the moment follows the last
-- one of the life that lives, and that it has claimed its wake.
-- @param said the record of the outcome
-- @param is_open an open record of the moment is stored already
-- @param is_decided a decision of the moment is stored already
create or replace function treeos.write_moment(batch jsonb, said jsonb, is_open boolean, is_decided boolean) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  o record;
  d record;
begin
  if jsonb_typeof(batch->'open') = 'object' then
    select r.n, r.wake, r."openedAt" opened_at, convert_to(r.record, 'UTF8') record, convert_to(r.basis, 'UTF8') basis,
        r.face, convert_to(r."faceBytes", 'UTF8') face_bytes
      into o
      from jsonb_to_record(batch->'open') as r(n integer, wake text, "openedAt" bigint, record text, basis text, face text,
        "faceBytes" text);
    if said->>'open' is distinct from encode(sha256('treeos.value.v1\000'::bytea || o.record), 'hex') or said->'n' <> to_jsonb(o.n) then
      raise exception 'the record of % names another open record than its batch brings', this_moment using errcode = 'TR002';
    end if;
    -- Beings share faces, so another moment may insert the same one now.
    if o.face is not null and not exists (select from blob where digest = o.face) then
      insert into blob (digest, bytes) values (o.face, o.face_bytes) on conflict do nothing;
    end if;
    -- No other open record comes meanwhile: a batch with an outcome holds the head of the being's records for
    -- update, open_moment takes it for share, and is_open was asked after the lock.
    if not is_open then
      insert into moment_open (moment, being, n, wake, opened_at, record, basis, face)
        values (this_moment, batch->>'being', o.n, o.wake, o.opened_at, o.record, o.basis, o.face);
    elsif not exists (select from moment_open where moment = this_moment and record = o.record) then
      raise exception 'another open record of % is stored', this_moment using errcode = 'TR004';
    end if;
  end if;
  if jsonb_typeof(batch->'decision') = 'object' then
    select r.kind, r.digest, decode(r.salt, 'hex') salt, convert_to(r.bytes, 'UTF8') bytes, r.usage,
        r.overlay
      into d
      from jsonb_to_record(batch->'decision') as r(kind text, digest text, salt text, bytes text, usage jsonb, overlay jsonb);
    if (d.digest = encode(sha256('treeos.payload.v1\000'::bytea || d.salt || d.bytes), 'hex')
      and d.digest = said->>'decision') is not true
    then
      raise exception 'the record of % names another decision than its batch brings', this_moment using errcode = 'TR002';
    end if;
    -- record_decision takes no lock: a decision that comes at the same time, also an equal one, violates the
    -- key, which the caller takes for TR004.
    if not is_decided then
      insert into moment_decision (moment, kind, digest, salt, bytes, usage, overlay)
        values (this_moment, d.kind, d.digest, d.salt, d.bytes, nullif(d.usage, 'null'), d.overlay);
    elsif not exists (select from moment_decision where moment = this_moment and digest = d.digest) then
      raise exception 'another decision of % is stored', this_moment using errcode = 'TR004';
    end if;
  end if;
end $$;

-- Checks the hashes of facts and appends each to its reel. All facts of a batch have one actor and one
-- driver.
-- @param erases a fact erases another, or what a moment decided
-- @param seals a fact is of a reel that may hold a sealed text
-- @param unparks a fact unparks a being
-- @param wake of their moment, when the batch comes from a worker, `outside` where the moment surely holds
--   such words; its facts must be ones that a worker may write
create or replace function treeos.write_facts(batch jsonb, guarded boolean, wake treeos.inbox, out erases boolean, out seals boolean, out unparks boolean) language plpgsql as $$
declare
  f record;
  said jsonb; -- the header of a fact
  this_moment text := batch->>'moment';
  actor text := coalesce(batch->>'being', '$reality');
  its_driver text;
begin
  erases := false;
  seals := false;
  unparks := false;
  if guarded and batch->>'lease' is not null then
    select driver into its_driver from lease where being = actor and epoch = (batch->>'lease')::integer;
  end if;
  for f in
    select r.reel, r.seq, r.kind, r.changes, decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash,
      decode(r.header, 'hex') header, decode(r."payloadHash", 'hex') payload_hash, decode(r.salt, 'hex') salt,
      decode(r.bytes, 'hex') bytes
    from jsonb_to_recordset(batch->'facts') as r(reel text, seq bigint, kind text, changes boolean, prev text, hash text,
      header text, "payloadHash" text, salt text, bytes text)
  loop
    said := convert_from(f.header, 'UTF8')::jsonb;
    if (f.hash = sha256('treeos.fact.v1\000'::bytea || f.prev || f.header)
      and f.payload_hash = sha256('treeos.payload.v1\000'::bytea || f.salt || f.bytes)
      and said @> jsonb_build_object('reel', f.reel, 'seq', f.seq, 'kind', f.kind,
        'actor', actor, 'moment', this_moment, 'payloadHash', encode(f.payload_hash, 'hex'))) is not true
    then
      raise exception 'the hash of fact %#% does not match its content', f.reel, f.seq using errcode = 'TR002';
    end if;
    if guarded and (said->>'driver' is distinct from its_driver
      or f.changes is distinct from (f.kind <> 'being:summoned')
      or may_write_fact(f.kind, f.reel, f.seq, f.bytes, actor, wake, this_moment) is not true
        -- Who ends a being ends its lease, too.
        and (f.kind = 'being:released' and batch->'facts' @> jsonb_build_array(jsonb_build_object('kind', 'being:ended', 'reel', f.reel)))
          is not true)
    then
      raise exception 'refused: % may not write a fact % on %', actor, f.kind, f.reel using errcode = '42501';
    end if;
    update head set seq = f.seq, hash = f.hash, state_seq = case when f.changes then f.seq else state_seq end
      where reel = f.reel and seq = f.seq - 1 and hash = f.prev;
    if not found then
      raise exception 'fact %#% does not follow the last fact of its reel', f.reel, f.seq using errcode = 'TR002';
    end if;
    insert into fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
      values (f.reel, f.seq, f.kind, this_moment, f.hash, f.prev, f.payload_hash, f.header, f.salt, f.bytes);
    erases := erases or f.kind in ('fact:erased', 'moment:erased');
    seals := seals or starts_with(f.reel, 'matter:note-') or starts_with(f.reel, 'approval:');
    unparks := unparks or f.kind = 'being:unparked';
    if f.kind = 'approval:expired' then
      perform close_asked(approval_of(f.reel));
    end if;
  end loop;
end $$;

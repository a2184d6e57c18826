-- Writes the records, decisions, facts and rows of plain batches, and closes their wakes. Each statement
-- writes what append would take, and all of it must have been written: otherwise this fails with TR002,
-- nothing is written, and append tells of each batch by itself what is wrong. Subqueries with `offset 0`
-- decode once what several conditions ask.
-- @param wakes of their moments
-- @param guarded the batches come from a worker
create or replace function treeos.write_plain(batches jsonb[], wakes treeos.inbox[], guarded boolean) returns void language plpgsql as $$
declare
  facts integer := 0;
  rows integer := 0;
  written integer;
  nothing text; -- as in append
begin
  for i in 1 .. cardinality(batches) loop
    facts := facts + jsonb_array_length(batches[i]->'facts');
    rows := rows + jsonb_array_length(batches[i]->'rows');
  end loop;

  -- Beings share faces, so another moment may insert the same one now.
  insert into blob (digest, bytes)
    select distinct on (o.face) o.face, convert_to(o."faceBytes", 'UTF8')
    from unnest(batches) b cross join lateral jsonb_to_record(b->'open') as o(face text, "faceBytes" text)
    where o.face is not null and (select true from blob where digest = o.face) is null order by o.face
    on conflict do nothing;
  insert into moment_open (moment, being, n, wake, opened_at, record, basis, face)
    select b.moment, b.being, o.n, o.wake, o."openedAt", convert_to(o.record, 'UTF8'), convert_to(o.basis, 'UTF8'), o.face
    from unnest(batches) u
      cross join lateral jsonb_to_record(u) as b(moment text, being text, open jsonb, outcome jsonb)
      cross join lateral jsonb_to_record(b.open) as o(n integer, wake text, "openedAt" bigint, record text, basis text, face text)
      cross join lateral (select convert_from(decode(b.outcome->>'record', 'hex'), 'UTF8')::jsonb as said offset 0) r
    where o.wake = b.outcome->>'wake' and said->'n' = to_jsonb(o.n)
      and said->>'open' = encode(sha256('treeos.value.v1\000'::bytea || convert_to(o.record, 'UTF8')), 'hex');
  get diagnostics written = row_count;
  nothing := require_all(written, cardinality(batches), 'open records');
  insert into moment_decision (moment, kind, digest, salt, bytes, usage, overlay)
    select b.moment, d.kind, d.digest, d.salt, d.bytes, nullif(d.usage, 'null'), d.overlay
    from unnest(batches) u
      cross join lateral jsonb_to_record(u) as b(moment text, decision jsonb, outcome jsonb)
      cross join lateral (select r.kind, r.digest, decode(r.salt, 'hex') salt, convert_to(r.bytes, 'UTF8') bytes, r.usage, r.overlay
        from jsonb_to_record(b.decision) as r(kind text, digest text, salt text, bytes text, usage jsonb, overlay jsonb) offset 0) d
    where d.digest = encode(sha256('treeos.payload.v1\000'::bytea || d.salt || d.bytes), 'hex')
      and d.digest = convert_from(decode(b.outcome->>'record', 'hex'), 'UTF8')::jsonb->>'decision';
  get diagnostics written = row_count;
  nothing := require_all(written, cardinality(batches), 'decisions');

  insert into fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
    select f.reel, f.seq, f.kind, b.moment, f.hash, f.prev, f.payload_hash, f.header, f.salt, f.bytes
    from unnest(batches) with ordinality as u(batch, place)
      cross join lateral jsonb_to_record(u.batch) as b(being text, moment text, facts jsonb)
      cross join lateral (
        select r.reel, r.seq, r.kind, r.changes, decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash, decode(r.header, 'hex') header,
          convert_from(decode(r.header, 'hex'), 'UTF8')::jsonb said, decode(r."payloadHash", 'hex') payload_hash,
          decode(r.salt, 'hex') salt, decode(r.bytes, 'hex') bytes
        from jsonb_to_recordset(b.facts) as r(reel text, seq bigint, kind text, changes boolean, prev text, hash text, header text,
          "payloadHash" text, salt text, bytes text) offset 0) f
    where f.hash = sha256('treeos.fact.v1\000'::bytea || f.prev || f.header)
      and f.payload_hash = sha256('treeos.payload.v1\000'::bytea || f.salt || f.bytes)
      and f.said @> jsonb_build_object('reel', f.reel, 'seq', f.seq, 'kind', f.kind, 'actor', b.being, 'moment', b.moment,
        'payloadHash', encode(f.payload_hash, 'hex'))
      and f.changes and f.said->>'driver' is null
      and (not guarded or may_write_fact(f.kind, f.reel, f.seq, f.bytes, b.being, wakes[u.place], b.moment));
  get diagnostics written = row_count;
  nothing := require_all(written, facts, 'facts');
  update head h set seq = f.seq, hash = decode(f.hash, 'hex'), state_seq = f.seq
    from unnest(batches) b cross join lateral jsonb_to_recordset(b->'facts') as f(reel text, seq bigint, hash text, prev text)
    where h.reel = f.reel and h.seq = f.seq - 1 and h.hash = decode(f.prev, 'hex');
  get diagnostics written = row_count;
  nothing := require_all(written, facts, 'heads');
  update projection p set state = r.state, folded_seq = r."foldedSeq", place = r.place, parent = r.parent, cognition = r.cognition
    from unnest(batches) b cross join lateral jsonb_array_elements(b->'rows') as brought
      cross join lateral jsonb_to_record(brought) as r(key text, state text, "foldedSeq" bigint, place text, parent text, cognition text)
    where p.key = r.key and (not guarded or is_folded(b->'facts', brought, p));
  get diagnostics written = row_count;
  nothing := require_all(written, rows, 'rows');

  update head h set seq = o.n, hash = decode(o.hash, 'hex'),
      listens_until = clock_timestamp() + case when b.listens_ms is not null -- least leaves out a null
        then make_interval(secs => least(b.listens_ms, 10000) / 1000) end
    from unnest(batches) u cross join lateral (
        select 'moments:' || (u->>'being') as records, (u->>'listensMs')::float8 as listens_ms, u->'outcome' as outcome) b
      cross join lateral jsonb_to_record(b.outcome) as o(n integer, hash text, prev text)
    where h.reel = b.records and h.seq = o.n - 1 and h.hash = decode(o.prev, 'hex');
  get diagnostics written = row_count;
  nothing := require_all(written, cardinality(batches), 'heads of records');
  insert into moment_outcome (moment, being, n, kind, reason, wake, sealed_at, primary_role, prev, hash, record, detail, result, judged, sent)
    select b.moment, b.being, o.n, o.kind, o.reason, o.wake, o.sealed_at, o.primary_role, o.prev, o.hash, o.record, o.detail, o.result, o.judged, o.sent
    from unnest(batches) u
      cross join lateral jsonb_to_record(u) as b(moment text, being text, outcome jsonb)
      cross join lateral (
        select r.n, r.kind, r.reason, r.wake, r."sealedAt" sealed_at, r."primaryRole" primary_role, r.detail, r.result,
          decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash, decode(r.record, 'hex') record,
          convert_from(decode(r.record, 'hex'), 'UTF8')::jsonb said, convert_to(r.judged, 'UTF8') judged, convert_to(r.sent, 'UTF8') sent
        from jsonb_to_record(b.outcome) as r(n integer, kind text, reason text, wake text, "sealedAt" bigint, "primaryRole" text,
          prev text, hash text, record text, detail text, result text, judged text, sent text) offset 0) o
    where o.hash = sha256('treeos.moment.v1\000'::bytea || o.prev || o.record)
      and o.said @> jsonb_build_object('being', b.being, 'moment', b.moment, 'n', o.n, 'wake', o.wake, 'sealedAt', o.sealed_at,
        'outcome', o.kind, 'reason', o.reason)
      and o.said#>>'{stack,primary,name}' is not distinct from o.primary_role;
  get diagnostics written = row_count;
  nothing := require_all(written, cardinality(batches), 'records');
  update inbox i set closed_by = b.moment, closed_at = clock_timestamp()
    from unnest(batches) u cross join lateral (select u->>'moment' as moment, u->>'being' as being, u#>>'{outcome,wake}' as wake) b
    where i.id = b.wake and i.being = b.being and i.claimed_by = b.moment and i.closed_by is null and i.erased_since is not true;
  get diagnostics written = row_count;
  nothing := require_all(written, cardinality(batches), 'wakes');
end $$;

-- Writes the record of a moment, and closes the wake of the moment and the rows that its act answers.
-- @param said the record, as jsonb
create or replace function treeos.close_moment(batch jsonb, said jsonb) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  this_being text := batch->>'being';
  o record;
  last_claimed text; -- by a moment of the being
  keeps boolean; -- texts were sealed for a thing that the moment was to make
  is_erased boolean; -- something that the face of the moment may show was erased meanwhile
begin
  select r.n, r.kind, r.reason, r.wake, r."sealedAt" sealed_at, r."primaryRole" primary_role, r.detail, r.result,
      decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash, decode(r.record, 'hex') record,
      convert_to(r.judged, 'UTF8') judged, convert_to(r.sent, 'UTF8') sent,
      convert_to(r.refusal, 'UTF8') refusal
    into o
    from jsonb_to_record(batch->'outcome') as r(n integer, kind text, reason text, wake text, "sealedAt" bigint,
      "primaryRole" text, prev text, hash text, record text, detail text, result text, judged text, sent text,
      refusal text);
  if (o.hash = sha256('treeos.moment.v1\000'::bytea || o.prev || o.record)
    and said @> jsonb_build_object('being', this_being, 'moment', this_moment, 'n', o.n, 'wake', o.wake,
      'sealedAt', o.sealed_at, 'outcome', o.kind, 'reason', o.reason)
    and said#>>'{stack,primary,name}' is not distinct from o.primary_role) is not true
  then
    raise exception 'the hash of the record of % does not match its content', this_moment using errcode = 'TR002';
  end if;
  update head set seq = o.n, hash = o.hash,
      listens_until = clock_timestamp() + case when batch->>'listensMs' is not null -- least leaves out a null
        then make_interval(secs => least((batch->>'listensMs')::float8, 10000) / 1000) end
    where reel = 'moments:' || this_being and seq = o.n - 1 and hash = o.prev
    returning claimed into last_claimed;
  if not found then
    raise exception 'the record of % does not follow the last record of its being', this_moment using errcode = 'TR002';
  end if;
  -- A moment may have claimed another wake than the one that it was opened for: that one becomes free.
  if last_claimed is distinct from o.wake then
    update inbox set claimed_by = null where id = last_claimed and claimed_by = this_moment and closed_by is null;
  end if;
  insert into moment_outcome (moment, being, n, kind, reason, wake, sealed_at, primary_role, prev, hash, record, detail, result,
      judged, sent, refusal)
    values (this_moment, this_being, o.n, o.kind, o.reason, o.wake, o.sealed_at, o.primary_role, o.prev, o.hash,
      o.record, o.detail, o.result, o.judged, o.sent, o.refusal)
    returning exists (select from sealed_text s where s.wake = o.wake),
        (select erased_since from inbox where id = coalesce(o.wake, (select m.wake from moment_open m where m.moment = this_moment)))
      into keeps, is_erased;
  if is_erased then
    perform forget_face(this_moment);
  end if;
  if o.reason = 'superseded' then
    update inbox set claimed_by = null
      where id = (select wake from moment_open where moment = this_moment) and claimed_by = this_moment and closed_by is null;
    return;
  end if;
  if keeps then -- and did not make it
    delete from sealed_text where wake = o.wake;
  end if;
  -- Closed rows stay as they are. A summon that does not trigger the role is stored: it stays open until
  -- someone answers it, and no moment claims it again.
  if jsonb_array_length(batch->'closes') = 0 then
    update inbox set closed_by = this_moment, closed_at = clock_timestamp()
      where closed_by is null and id = o.wake and being = this_being
        and not (kind = 'summon' and o.reason is not distinct from 'not-triggered');
    return;
  end if;
  -- The ids are an array, because `or` with a subquery would read the whole inbox.
  update inbox set closed_by = this_moment, closed_at = clock_timestamp()
    where closed_by is null
      and id = any(array_append(array(select jsonb_array_elements_text(batch->'closes')), o.wake))
      -- What others hold is closed only where a thread was cut, or what it asks was answered.
      and (being = this_being or batch->'facts' @> jsonb_build_array(jsonb_build_object('kind', 'thread:cut', 'reel', 'thread:' || root))
        or about_approval(kind, id) = 'asked' and batch->'facts' @> jsonb_build_array(jsonb_build_object('reel', approval_reel(approval_in(id)))))
      and not (id = o.wake and kind = 'summon' and o.reason is not distinct from 'not-triggered');
end $$;

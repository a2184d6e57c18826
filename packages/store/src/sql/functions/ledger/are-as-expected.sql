-- Asks of plain batches, whose heads are locked, what append asks of one. All is as a moment expects that
-- nothing came between: its heads stand where it read them, its life lives, its wake is its own and no act of
-- a person, and nothing of the moment is stored but a reservation.
-- @return reels    all heads that the batch has read
--         writes   those that it writes
--         listened its run still looks for wakes by itself
--         reserves a model call was reserved for the moment, and is not settled
-- Subqueries by key, and no `exists` and no plain join: for those Postgres may read a whole table.
create or replace function treeos.are_as_expected(batches jsonb[])
returns table (place bigint, as_expected boolean, wake treeos.inbox, reels text[], writes text[], listened boolean, reserves boolean)
language sql stable as $$
  select u.place,
    (h.stand and h.writes_record and (b.facts = '[]' or b.facts#>>'{0,reel}' = any(h.writes))
      and (w.own).claimed_by = b.moment and (w.own).being = b.being and (w.own).closed_by is null
      and (w.own).kind <> 'act' and not brings_yes((w.own).kind, (w.own).id) and not (w.own).outside and (w.own).erased_since is not true
      and b.moment = format('%s/%s/%s', b.being, u.batch->>'generation', b.outcome->>'n')
      and b.generation = (select max(l.generation) from life l where l.being = b.being)
      and (select true from moment_outcome o where o.moment = b.moment) is null
      and (select true from moment_open o where o.moment = b.moment) is null
      and (select true from moment_decision d where d.moment = b.moment) is null
      and (select true from moment_effect e where e.moment = b.moment) is null
      and (select true from projection p where p.key = 'thread:' || b.thread) is null
      and (select true from sealed_text s where s.wake = (w.own).id limit 1) is null) is true,
    w.own, h.reels, h.writes, coalesce(h.listened, false),
    (select true from reservation r where r.moment = b.moment and r.settled_at is null limit 1) is not null
  from unnest(batches) with ordinality as u(batch, place)
    cross join lateral jsonb_to_record(u.batch) as b(being text, moment text, generation integer, thread text, outcome jsonb,
      heads jsonb, facts jsonb)
    left join lateral (select i as own from inbox i where i.id = b.outcome->>'wake' limit 1) w on true
    cross join lateral (
      select bool_and((s.state_seq = r."stateSeq" and (not r.write or s.seq = r.seq)) is true) as stand,
        bool_or(r.write and r.reel = 'moments:' || b.being and s.claimed = b.outcome->>'wake') as writes_record,
        array_agg(r.reel) as reels, array_agg(r.reel) filter (where r.write) as writes,
        bool_or(s.listens_until > clock_timestamp()) filter (where r.reel = 'moments:' || b.being) as listened
      from jsonb_to_recordset(b.heads) as r(reel text, seq bigint, "stateSeq" bigint, write boolean)
        left join lateral (select * from head where reel = r.reel limit 1) s on true) h
$$;

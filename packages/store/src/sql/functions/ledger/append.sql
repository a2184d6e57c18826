-- The one function that moves heads. batch: {being, moment, generation, lease, leaseSeconds, heads: [{reel,
-- seq, stateSeq, write}], facts, rows, inbox, noticesMax, changes, closes, outcome, thread, open, decision,
-- listensMs}. Facts of one reel are in their order. Each row may have {watches, account, lease}. `open` and
-- `decision` are records of the moment that were not stored before its end. For `listensMs` from now on the
-- being's run looks for wakes by itself, so nobody rings it. Returns {status}:
--   appended all was written; with what wake_watchers returns, the number of wakes that wait for this being,
--   and whether its
--               run said before that it looks for wakes by itself at this time
--   done        the moment already has its outcome
--   superseded  a younger generation lives
--   unleased    the lease under which a driver acts has ended
--   stale       the head of a reel has moved, or `thread` was cut; with that reel or thread
-- Only `appended` writes. Of a login that does not own the tables, wakes, rows, leases, watches and all else
-- must follow from facts of the same batch, and these from the wake of its moment: SQLSTATE 42501 otherwise.
-- The caller computes the hashes, and Postgres' own sha256 checks them here. All functions take locks in one
-- order: heads, inbox rows, then accounts by name. Generic plans: each statement finds its rows by key, and a
-- new connection would else plan each of them six times. With the cost of a page that Postgres assumes, which
-- is that of a spinning disk, it would read small tables as a whole.
create or replace function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan
set random_page_cost = 1.1 as $$
declare
  checked record;
  written record;
  kept record;
  woken jsonb := '{"woken": []}';
  guarded boolean := not is_owned();
  wake inbox;
  ends boolean := jsonb_typeof(batch->'outcome') = 'object'; -- the batch brings the outcome of its moment
  said jsonb; -- the record of its outcome
  nothing text; -- what some functions return: to assign it takes a third of the time of perform, which starts a statement
begin
  checked := lock_and_check(batch);
  if checked.refusal is not null then
    return checked.refusal;
  end if;
  if ends then
    said := convert_from(decode(batch#>>'{outcome,record}', 'hex'), 'UTF8');
  end if;
  if batch ?| array['open', 'decision'] then
    nothing := write_moment(batch, said, checked.is_open, checked.is_decided);
  end if;
  if guarded then
    wake := require_own_wake(batch);
  end if;
  -- Each step below is skipped when the batch has no part for it.
  written := write_facts(batch, guarded, wake);
  if written.erases then
    nothing := erase(batch->'facts');
  end if;
  if written.seals then
    nothing := settle_sealed(batch);
  end if;
  kept := write_rows(batch, guarded);
  if jsonb_array_length(batch->'inbox') > 0 then
    nothing := write_inbox(batch, guarded, wake);
    if batch->'inbox' @? 'strict $[*] ? (@.notice.type() == "string")' then
      nothing := write_notices(batch->'inbox', (batch->>'noticesMax')::integer, batch#>>'{outcome,wake}');
    end if;
  end if;
  if ends then
    nothing := close_moment(batch, said);
  end if;
  if kept.watches then
    nothing := write_watches(batch->'rows');
  end if;
  if jsonb_array_length(batch->'changes') > 0 then
    woken := wake_watchers(batch, guarded, wake);
  end if;
  if kept.accounts or written.unparks or ends and checked.is_reserved then
    nothing := settle_and_write_accounts(batch, guarded, kept.accounts, written.unparks, ends and checked.is_reserved);
  end if;
  if kept.leases then
    if guarded and is_leased(batch) is not true then
      raise exception 'refused: a lease begins and ends by a fact of the same batch' using errcode = '42501';
    end if;
    nothing := write_leases(batch->'rows', (batch->>'leaseSeconds')::integer);
  end if;
  nothing := write_journal(array[batch]);
  return jsonb_build_object('status', 'appended', 'waiting', count_waiting(batch->>'being'),
    'listened', coalesce(checked.listened, false)) || woken;
end $$;

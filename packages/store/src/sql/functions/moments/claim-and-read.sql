-- Claims the next wake for a moment, see claim, then reads a read set for it, see read_set. What the wake
-- names is read, too: its caller, and the cut of its thread. The reading is of one instant after the claim,
-- so it sees what the sender of the wake wrote. With `need_tokens` it also reserves a model call of this
-- attempt, see reserve_first, unless the wake is an act or the moment was begun before. No call outlives its
-- reservation, so a claim that reserves waits for the disk. Generic plans, as in append. The first line is
-- the wake: its row with an empty content, `cut`, `opened`, `streamed` and where its overlays are; `hash` is
-- the content. Without a wake there is no line. Of a moment that is open, or whose thread was cut, there is
-- no other line. The last line is what was reserved, as reserve says it.
create or replace function treeos.claim_and_read(
  whose text, for_moment text, its_generation integer, keys text[], reels text[], places text[], parents text[], asides text[],
  wore text[], bounds integer[], its_attempt integer, need_tokens bigint, need_micros bigint
) returns table (what text, key text, text text, number bigint, hash bytea, state_seq bigint)
language plpgsql set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan
set random_page_cost = 1.1 as $$
#variable_conflict use_column
declare
  durable text := current_setting('synchronous_commit');
  claimed inbox;
  found_so record; -- of the wake
  reserved jsonb;
begin
  select * into claimed from claim(whose, for_moment, its_generation);
  if claimed.id is null then
    return;
  end if;
  select exists (select from projection p where p.key = 'thread:' || claimed.root) is_cut,
      exists (select from moment_open o where o.moment = for_moment) is_open,
      (select o.handle from overlay_change o where o.thread = claimed.root order by o.id desc limit 1) thread_overlay,
      exists (select from overlay) has_overlays
    into found_so;
  claim_and_read.what := 'wake';
  claim_and_read.key := claimed.id;
  claim_and_read.hash := claimed.content;
  claimed.content := '';
  claimed.erased_since := null;
  -- Two objects put together as texts: to make jsonb of a row takes three times as long.
  claim_and_read.text := left(row_to_json(claimed)::text, -1) || ',' || substr(json_build_object('cut', found_so.is_cut, 'opened', found_so.is_open,
      'thread_overlay', found_so.thread_overlay, 'has_overlays', found_so.has_overlays,
      -- Whoever watches the being holds this lock in share mode, so that its model is asked to stream.
      'streamed', not pg_try_advisory_xact_lock(1953654118, hashtext(whose)))::text, 2);
  return next;
  if found_so.is_cut or found_so.is_open then
    return;
  end if;
  keys := keys || ('thread:' || claimed.root);
  reels := reels || ('thread:' || claimed.root);
  if claimed.caller is not null and not 'being:' || claimed.caller = any(keys) then
    keys := keys || ('being:' || claimed.caller);
    reels := reels || ('being:' || claimed.caller);
  end if;
  return query select r.* from read_set(whose, claimed.id, claimed.root, keys, reels, places, parents, asides, wore, bounds) r;
  if need_tokens is null or claimed.kind = 'act' or brings_yes(claimed.kind, claimed.id)
    or claimed.kind = 'event' and starts_with(claimed.id, 'read/') or exists (select from reservation where moment = for_moment) then
    return;
  end if;
  reserved := reserve_first(whose, for_moment, its_attempt, need_tokens, need_micros);
  if reserved->>'status' = 'reserved' then
    durable := set_config('synchronous_commit', durable, true);
  end if;
  return query select 'reserved', '', reserved::text, null::bigint, null::bytea, null::bigint;
end $$;

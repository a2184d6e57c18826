-- Two roles own nothing. Workers connect as treeos_app: it may read, open moments and record decisions. Facts, heads, rows,
-- outcomes and summons are written only by append; acts, events, closed entries, effects, access tokens, leases, budgets and
-- stored overlays only by functions that check. The sequencer connects as treeos_sequencer: it reads hashes, no content, and
-- writes the log. The roles are made only if the migrating user may make roles; the triggers hold in any case. This file can be
-- applied again.

revoke execute on all functions in schema treeos from public;

do $$
begin
  -- A role belongs to the whole server: the migration of another database may make this one at the same time.
  if not exists (select from pg_roles where rolname = 'treeos_app') then
    begin
      create role treeos_app nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise notice 'role treeos_app cannot be made by %; triggers alone guard the past', current_user;
        return;
    end;
  end if;

  grant usage on schema treeos to treeos_app;
  grant select on treeos.reality, treeos.head, treeos.fact, treeos.payload, treeos.projection, treeos.blob, treeos.life,
    treeos.inbox, treeos.watch, treeos.moment_open, treeos.moment_decision, treeos.moment_effect, treeos.moment_outcome,
    treeos.account, treeos.allowance, treeos.reservation, treeos.parking, treeos.lease, treeos.token, treeos.moment_fault, treeos.journal,
    treeos.journal_entry_seq, treeos.overlay, treeos.vault, treeos.overlay_change, treeos.mind_call,
    treeos.log_entry, treeos.log_tile, treeos.log_state
    to treeos_app; -- all tables but treeos.delayed
  grant insert on treeos.blob, treeos.moment_open, treeos.moment_decision, treeos.overlay_change to treeos_app;
  grant insert, update, delete on treeos.vault, treeos.mind_call to treeos_app;
  grant execute on function
    treeos.append(jsonb), treeos.lock_heads(text[]), treeos.genesis(text), treeos.json_of(bytea), treeos.refuse_change(),
    treeos.begin_life(text, text, text), treeos.current_generation(text), treeos.wakes(text, text), treeos.has_ended(text),
    treeos.claim(text, text, integer),
    treeos.read_set(text, text, text, text[], text[], text[], text[], text[], text[], integer[]),
    treeos.claim_and_read(text, text, integer, text[], text[], text[], text[], text[], text[], integer[], integer, bigint, bigint),
    treeos.release_delayed(), treeos.check_opening(), treeos.cancel_call(text, text, bytea, bytea),
    treeos.reserve(text, text, integer, bigint, bigint), treeos.reserve_first(text, text, integer, bigint, bigint), treeos.settle(text, integer, bigint, bigint),
    treeos.record_fault(text, text, integer, double precision, text, text),
    treeos.line_of(text), treeos.is_parked(text), treeos.is_paced(text), treeos.is_hurried(text), treeos.standard(text),
    treeos.close_entries(text, text[], text), treeos.record_effect(text, text, bytea),
    treeos.record_effect_result(text, bytea), treeos.enqueue(jsonb), treeos.withdraw(jsonb), treeos.issue_token(text, text, text, bytea, integer),
    treeos.revoke_token(text),
    treeos.lease_is_valid(text, integer), treeos.renew_lease(text, integer, integer),
    treeos.may_set_overlay(text, text, text), treeos.delete_overlay(text, text, text, text),
    treeos.set_overlay(text, text, text, text, text[], text)
    to treeos_app;

  -- Since Postgres 16, membership alone does not let a user become the role.
  if not pg_has_role(current_user, 'treeos_app',
      case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end) then
    begin
      execute format('grant treeos_app to %I', current_user);
    exception when insufficient_privilege or internal_error then -- internal_error: two grants at once
      raise notice '% may not become treeos_app; triggers alone guard the past', current_user;
    end;
  end if;
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'treeos_sequencer') then
    begin
      create role treeos_sequencer nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise notice 'role treeos_sequencer cannot be made by %', current_user;
        return;
    end;
  end if;

  grant usage on schema treeos to treeos_sequencer;
  grant select on treeos.reality, treeos.journal, treeos.journal_entry_seq, treeos.log_entry, treeos.log_tile, treeos.log_state
    to treeos_sequencer;
  grant select (reel, seq, hash) on treeos.fact to treeos_sequencer;
  grant select (moment, being, n, hash) on treeos.moment_outcome to treeos_sequencer;
  grant insert on treeos.log_entry, treeos.log_tile to treeos_sequencer;
  grant update (hashes) on treeos.log_tile to treeos_sequencer;
  grant update (size, journal) on treeos.log_state to treeos_sequencer;
  grant execute on function treeos.refuse_change(), treeos.only_grow_log() to treeos_sequencer;
end $$;

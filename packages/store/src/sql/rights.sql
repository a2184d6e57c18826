-- Four roles own nothing.
--   treeos_app workers: it may read and record decisions. Facts, heads, rows, outcomes and summons are
--   written only by append,
--                     opened moments, closed entries of beings, effects, leases and budgets only by functions
--                     that check. Acts of a person are put into an inbox only where that person lets
--                     workflows act as it
--   treeos_people commands and MCP, which act for persons: it puts acts into inboxes, closes entries of
--   persons, renews leases,
--                     cancels calls, sets access tokens and stored overlays, and says what a replay found,
--                     each by a function. It opens no moment
--   treeos_signals acts by a Temporal signal, and nothing else: a login of its own, which a worker gets only
--   where the operator
--                     turned such acts on
--   treeos_sequencer  reads hashes, no content, and writes the log
-- The roles are made only if the migrating user may make roles; the triggers hold in any case. This file can
-- be applied again.

revoke execute on all functions in schema treeos from public;

-- Postgres lets everybody keep large objects, which no record tells of and nothing bounds.
do $$
begin
  revoke execute on function pg_catalog.lo_create(oid), pg_catalog.lo_creat(integer), pg_catalog.lo_from_bytea(oid, bytea) from public;
exception when insufficient_privilege then
  raise notice 'everybody may keep large objects: % may not forbid it', current_user;
end $$;

do $$
declare
  rights text;
begin
  foreach rights in array array['treeos_app', 'treeos_people', 'treeos_signals', 'treeos_sequencer'] loop
    -- A role belongs to the whole server: the migration of another database may make this one at the same
    -- time.
    if not exists (select from pg_roles where rolname = rights) then
      begin
        execute format('create role %I nologin', rights);
      exception
        when duplicate_object or unique_violation then null;
        when insufficient_privilege then
          raise notice 'role % cannot be made by %: make it, and migrate again', rights, current_user;
          continue;
      end;
    end if;
    execute format('grant usage on schema treeos to %I', rights);
    continue when rights = 'treeos_sequencer';
    -- Since Postgres 16, membership alone does not let a user become the role.
    if not pg_has_role(current_user, rights,
        case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end) then
      begin
        execute format('grant %I to %I', rights, current_user);
      exception when insufficient_privilege or internal_error then -- internal_error: two grants at once
        raise notice '% may not become %; triggers alone guard the past', current_user, rights;
      end;
    end if;
  end loop;
end $$;

-- What workers and commands read: all tables but treeos.token and those of changes that wait.
do $$
declare
  rights text;
begin
  for rights in select rolname from pg_roles where rolname in ('treeos_app', 'treeos_people') loop
    execute format($grant$
  grant select on treeos.reality, treeos.head, treeos.fact, treeos.projection, treeos.blob, treeos.life,
    treeos.inbox, treeos.watch, treeos.moment_open, treeos.moment_decision, treeos.moment_effect, treeos.held_count, treeos.moment_outcome,
    treeos.account, treeos.allowance, treeos.reservation, treeos.parking, treeos.lease, treeos.moment_fault, treeos.journal,
    treeos.journal_entry_seq, treeos.overlay, treeos.vault, treeos.worker, treeos.overlay_change, treeos.mind_call, treeos.sealed_text, treeos.file,
    treeos.log_entry, treeos.log_tile, treeos.log_state, treeos.replay_run, treeos.restore, treeos.change_author
    to %1$I;
  grant execute on function
    treeos.genesis(text), treeos.json_of(bytea), treeos.refuse_change(), treeos.current_generation(text),
    treeos.wakes(text, text), treeos.brings_yes(text, text), treeos.told(bytea), treeos.text_of(bytea), treeos.has_ended(text), treeos.is_hosted(text), treeos.kind_of(treeos.inbox), treeos.asks_back(bytea),
    treeos.is_held(text, text), treeos.read_set(text, text, text, text[], text[], text[], text[], text[], text[], integer[]),
    treeos.concerned_by(text), treeos.hold_over(text, bigint, text), treeos.line_of(text), treeos.is_parked(text), treeos.is_paced(text), treeos.is_hurried(text), treeos.standard(text),
    treeos.lease_is_valid(text, integer), treeos.may_set_overlay(text, text, text),
    treeos.seal_text(text, text, text, bytea, text), treeos.keys_shown(text), treeos.keep_file(text, text, text, bytea, bigint)
    to %1$I
    $grant$, rights);
  end loop;
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'treeos_app') then
    return;
  end if;
  grant insert on treeos.blob, treeos.moment_decision to treeos_app;
  grant insert, update, delete on treeos.vault, treeos.worker, treeos.mind_call to treeos_app;
  grant execute on function
    treeos.append(jsonb), treeos.append_together(jsonb[]), treeos.claim_together(jsonb), treeos.lock_heads(text[]), treeos.begin_life(text, text, text),
    treeos.claim(text, text, integer), treeos.release_claim(text, text, integer),
    treeos.claim_and_read(text, text, integer, text[], text[], text[], text[], text[], text[], integer[], integer, bigint, bigint),
    treeos.release_delayed(boolean), treeos.enqueue_event(jsonb), treeos.note_restore(), treeos.enqueue_hosted(jsonb), treeos.close_hosted(text, text[]),
    treeos.open_moment(text, text, integer, text, bigint, bytea, bytea, text, bytea),
    treeos.reserve(text, text, integer, bigint, bigint), treeos.reserve_first(text, text, integer, bigint, bigint), treeos.settle(text, integer, bigint, bigint, boolean),
    treeos.record_fault(text, text, integer, double precision, text, text, jsonb), treeos.record_effect(text, text, bytea, jsonb),
    treeos.record_effect_result(text, bytea), treeos.keep_vector(text, text, real[])
    to treeos_app;
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'treeos_people') then
    return;
  end if;
  grant insert on treeos.overlay_change to treeos_people;
  grant execute on function
    treeos.enqueue_act(jsonb), treeos.withdraw(jsonb), treeos.close_entries(text, text[], text),
    treeos.renew_lease(text, integer, integer), treeos.cancel_call(text, text, bytea, bytea),
    treeos.record_replay(jsonb), treeos.issue_token(text, text, text, bytea, integer), treeos.tokens_of(text, text, integer),
    treeos.revoke_token(text, text), treeos.token_of(bytea),
    treeos.delete_overlay(text, text, text, text), treeos.set_overlay(text, text, text, text, text[], text)
    to treeos_people;
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_signals') then
    grant execute on function treeos.enqueue_signal(jsonb) to treeos_signals;
  end if;
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'treeos_sequencer') then
    return;
  end if;
  grant select on treeos.reality, treeos.journal, treeos.journal_entry_seq, treeos.log_entry, treeos.log_tile, treeos.log_state
    to treeos_sequencer;
  grant select (reel, seq, hash) on treeos.fact to treeos_sequencer;
  grant select (moment, being, n, hash) on treeos.moment_outcome to treeos_sequencer;
  grant insert on treeos.log_entry, treeos.log_tile to treeos_sequencer;
  grant update (hashes) on treeos.log_tile to treeos_sequencer;
  grant update (size, journal) on treeos.log_state to treeos_sequencer;
  grant execute on function treeos.refuse_change(), treeos.only_grow_log() to treeos_sequencer;
end $$;

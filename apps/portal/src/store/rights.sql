-- The rights of the portal's role, given at each start: a later migration may have made a function anew. It
-- reads the record, and of access tokens the one whose secret a program shows, and those of a person, without
-- any secret. It makes and revokes access tokens of persons, puts a person's act into an inbox, withdraws it,
-- closes entries, renews leases, cancels calls and sets stored overlays, each by a function that checks. It
-- cannot append, open a moment, record a decision or reserve a budget.

grant usage on schema treeos, portal to treeos_portal;
grant select, insert, update, delete on all tables in schema portal to treeos_portal;
grant select on treeos.reality, treeos.worker, treeos.head, treeos.fact, treeos.projection, treeos.blob, treeos.inbox, treeos.watch,
  treeos.moment_open, treeos.moment_decision, treeos.moment_outcome, treeos.moment_fault, treeos.account, treeos.reservation,
  treeos.parking, treeos.lease, treeos.journal, treeos.journal_entry_seq, treeos.moment_effect, treeos.file, treeos.overlay,
  treeos.overlay_change, treeos.vault, treeos.log_tile, treeos.log_entry, treeos.log_state
  to treeos_portal;
grant insert on treeos.overlay_change to treeos_portal;
grant execute on function treeos.json_of(bytea), treeos.told(bytea), treeos.text_of(bytea), treeos.genesis(text), treeos.concerned_by(text), treeos.hold_over(text, bigint, text), treeos.line_of(text), treeos.is_parked(text),
  treeos.is_paced(text), treeos.is_hurried(text), treeos.standard(text), treeos.has_ended(text),
  treeos.read_set(text, text, text, text[], text[], text[], text[], text[], text[], integer[]), treeos.wakes(text, text),
  treeos.brings_yes(text, text), treeos.kind_of(treeos.inbox), treeos.asks_back(bytea),
  treeos.enqueue_act(jsonb), treeos.withdraw(jsonb), treeos.close_entries(text, text[], text), treeos.lease_is_valid(text, integer),
  treeos.renew_lease(text, integer, integer), treeos.cancel_call(text, text, bytea, bytea),
  treeos.token_of(bytea), treeos.tokens_of(text, text, integer), treeos.issue_token(text, text, text, bytea, integer),
  treeos.revoke_token(text, text), treeos.may_set_overlay(text, text, text), treeos.seal_text(text, text, text, bytea, text), treeos.keys_shown(text), treeos.keep_file(text, text, text, bytea, bigint), treeos.delete_overlay(text, text, text, text),
  treeos.set_overlay(text, text, text, text, text[], text)
  to treeos_portal;
-- `treeos status` tells of deliveries that were given up. It reads no address.
do $$
declare
  rights text;
begin
  for rights in select rolname from pg_roles where rolname in ('treeos_app', 'treeos_people') loop
    execute format('grant usage on schema portal to %1$I; grant execute on function portal.delivery_state() to %1$I', rights);
  end loop;
end $$;

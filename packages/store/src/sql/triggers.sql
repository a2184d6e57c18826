-- Triggers that keep the past as it was written, for every user, the owner included. What a fact, a decision
-- or an effect says can be erased by an append that brings a tombstone, and not otherwise.

create trigger fact_fixed before delete or truncate on treeos.fact
  for each statement execute function treeos.refuse_change();
create trigger fact_payload_erased before update on treeos.fact
  for each row execute function treeos.require_tombstone();
create trigger head_fixed before delete or truncate on treeos.head
  for each statement execute function treeos.refuse_change();
create trigger life_fixed before update or delete or truncate on treeos.life
  for each statement execute function treeos.refuse_change();
create trigger blob_fixed before update or truncate on treeos.blob
  for each statement execute function treeos.refuse_change();

create trigger moment_open_fixed before update or delete or truncate on treeos.moment_open
  for each statement execute function treeos.refuse_change();
create trigger moment_decision_fixed before update or truncate on treeos.moment_decision
  for each statement execute function treeos.refuse_change();
create trigger moment_decision_erased before delete on treeos.moment_decision
  for each row execute function treeos.require_tombstone();
create trigger moment_effect_result before update on treeos.moment_effect
  for each row execute function treeos.refuse_second_result();
create trigger moment_effect_erased before delete on treeos.moment_effect
  for each row execute function treeos.require_tombstone();
create trigger moment_effect_stays before truncate on treeos.moment_effect
  for each statement execute function treeos.refuse_change();
create trigger moment_outcome_erased before update on treeos.moment_outcome
  for each row execute function treeos.require_tombstone();
create trigger moment_outcome_fixed before delete or truncate on treeos.moment_outcome
  for each statement execute function treeos.refuse_change();

create trigger replay_run_fixed before update or delete or truncate on treeos.replay_run
  for each statement execute function treeos.refuse_change();

create trigger token_is_only_revoked before update on treeos.token
  for each row execute function treeos.only_revoke_tokens();
create trigger token_stays before delete or truncate on treeos.token
  for each statement execute function treeos.refuse_change();

create trigger overlay_change_fixed before update or delete or truncate on treeos.overlay_change
  for each statement execute function treeos.refuse_change();

create trigger log_entry_fixed before update or delete or truncate on treeos.log_entry
  for each statement execute function treeos.refuse_change();
create trigger log_tile_fixed before delete or truncate on treeos.log_tile
  for each statement execute function treeos.refuse_change();
create trigger log_tile_grows before update on treeos.log_tile
  for each row execute function treeos.only_grow_log();
create trigger log_state_fixed before delete or truncate on treeos.log_state
  for each statement execute function treeos.refuse_change();
create trigger log_state_grows before update on treeos.log_state
  for each row execute function treeos.only_grow_log();

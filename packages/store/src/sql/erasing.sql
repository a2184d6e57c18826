-- What migration 022 changes of tables and triggers. A released file: later changes are migrations of their own.

create index fact_erased on treeos.fact (reel, seq) where kind in ('fact:erased', 'moment:erased');

create trigger payload_erased before delete on treeos.payload
  for each row execute function treeos.refuse_untold();
create trigger moment_decision_erased before delete on treeos.moment_decision
  for each row execute function treeos.refuse_untold();
create trigger moment_effect_erased before delete on treeos.moment_effect
  for each row execute function treeos.refuse_untold();
create trigger moment_outcome_erased before update on treeos.moment_outcome
  for each row execute function treeos.refuse_untold();

drop trigger moment_effect_stays on treeos.moment_effect;
create trigger moment_effect_stays before truncate on treeos.moment_effect
  for each statement execute function treeos.refuse_change();
drop trigger moment_outcome_fixed on treeos.moment_outcome;
create trigger moment_outcome_fixed before delete or truncate on treeos.moment_outcome
  for each statement execute function treeos.refuse_change();

revoke execute on function treeos.erase(jsonb), treeos.erase_fact(text, bigint, bytea), treeos.erase_moment(text, text),
  treeos.refuse_untold() from public;

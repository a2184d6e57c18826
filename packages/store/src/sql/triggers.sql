-- Triggers that keep the past as it was written, for every user, the owner included. A released file: later changes are
-- migrations of their own.

create trigger fact_fixed before update or delete or truncate on treeos.fact
  for each statement execute function treeos.refuse_change();
create trigger payload_fixed before update or truncate on treeos.payload -- a payload may be erased
  for each statement execute function treeos.refuse_change();
create trigger head_fixed before delete or truncate on treeos.head
  for each statement execute function treeos.refuse_change();
create trigger life_fixed before update or delete or truncate on treeos.life
  for each statement execute function treeos.refuse_change();
create trigger blob_fixed before update or truncate on treeos.blob
  for each statement execute function treeos.refuse_change();

create trigger moment_open_fixed before update or delete or truncate on treeos.moment_open
  for each statement execute function treeos.refuse_change();
create trigger moment_open_follows before insert on treeos.moment_open
  for each row execute function treeos.check_opening();
create trigger moment_decision_fixed before update or truncate on treeos.moment_decision
  for each statement execute function treeos.refuse_change();
create trigger moment_effect_result before update on treeos.moment_effect
  for each row execute function treeos.refuse_second_result();
create trigger moment_effect_stays before delete or truncate on treeos.moment_effect
  for each statement execute function treeos.refuse_change();
create trigger moment_outcome_fixed before update or delete or truncate on treeos.moment_outcome
  for each statement execute function treeos.refuse_change();

create trigger token_is_only_revoked before update on treeos.token
  for each row execute function treeos.only_revoke_tokens();
create trigger token_stays before delete or truncate on treeos.token
  for each statement execute function treeos.refuse_change();

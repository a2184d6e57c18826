-- Whether the operator sets or lifts a legal hold: by an act that it put into its own inbox, without a lease
-- and in its own words, which names the hold and what it is on.
-- @param wake of the moment
-- It stays, since what was erased under a hold that was lifted cannot be taken back.
create or replace function treeos.may_hold(kind text, reel text, bytes bytea, actor text, wake treeos.inbox) returns boolean
language plpgsql stable as $$
declare
  act jsonb := told(wake.content)->'call'; -- what the person's act asks for
  target text := act->>'target';
begin
  return wake.kind = 'act' and not wake.outside and told(wake.content)->>'lease' is null and actor = 'operator' and wake.being = actor
    and act->>'verb' = 'do' and act->>'operation' = case kind when 'hold:set' then 'set-hold' else 'lift-hold' end
    and told(bytes)->>'name' = act#>>'{args,name}' and reel in (target, 'space:' || target, 'being:' || substr(target, 2));
end $$;

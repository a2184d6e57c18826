-- Whether a person accepts that the record of a moment has another stack than its workflow gives: by an act
-- that it put into its own inbox, without a lease and in its own words, which names the moment and both
-- digests. A worker that was taken over would else accept what it forged.
-- @param wake of the moment
-- It stays, since it keeps the one who forged a record from ending the halt that the record caused.
create or replace function treeos.may_accept_difference(reel text, bytes bytea, actor text, wake treeos.inbox) returns boolean
language plpgsql stable as $$
declare
  whose text := substr(reel, 7);
  act jsonb := told(wake.content)->'call'; -- what the person's act asks for
  it jsonb := told(bytes);
begin
  return wake.kind = 'act' and not wake.outside and told(wake.content)->>'lease' is null
    and act->>'verb' = 'do' and act->>'operation' = 'accept-difference'
    and actor = wake.being and exists (select from projection where key = 'being:' || actor and cognition = 'human')
    and (actor = 'operator' or actor = any(line_of(whose))) and reel = 'being:' || whose and starts_with(it->>'moment', whose || '/')
    and (it->>'moment', it->>'recorded', it->>'given')
      is not distinct from (act#>>'{args,moment}', act#>>'{args,recorded}', act#>>'{args,given}');
end $$;

-- Whether a fact about a call that waits for a yes may come from a moment. A call waits under the id of the
-- moment that asks. Only an act that a person put into its own inbox says yes or no, while it waits: the act
-- names it, and the arguments if they are others. Only the moment that brings the yes uses it up. What a
-- moment with words from outside asks is marked.
-- @param wake of the moment, `outside` where the moment surely holds such words
-- It stays, since a yes cannot be taken back, and what it lets out is done.
create or replace function treeos.may_write_approval(kind text, reel text, seq bigint, bytes bytea, actor text, wake treeos.inbox,
  its_moment text)
returns boolean language plpgsql stable as $$
declare
  its_id text := approval_of(reel);
  it jsonb := told(bytes);
  act jsonb; -- what the person's act asks for
  known jsonb; -- the row
begin
  if its_id is null then
    return false;
  elsif kind = 'approval:asked' then
    return seq = 1 and its_id = its_moment and (wake.outside is not true or it->'fromOutside' = 'true');
  elsif kind in ('approval:used', 'approval:voided') then
    known := asked_row(its_id);
    return brings_yes(wake.kind, wake.id) and wake.id = approval_entry('approved', its_id) and known->>'state' = 'given'
      -- A yes lasts as long again as the question did, and a minute for the moment itself. What was done
      -- outside began in that time.
      and (kind = 'approval:voided' or exists (select from moment_effect where moment = its_moment)
        or extract(epoch from clock_timestamp()) * 1000 <= (known#>>'{given,-1,at}')::float8
          + (known->>'expiresAt')::float8 - (known->>'at')::float8 + 60000);
  elsif kind not in ('approval:given', 'approval:denied') or wake.kind <> 'act' then
    return false;
  end if;
  known := asked_row(its_id);
  act := told(wake.content)->'call';
  if (known->>'state' = 'open'
    and known->'rules' @> jsonb_build_array(jsonb_build_object('who', jsonb_build_array(actor)))
    and told(wake.content)->>'lease' is null
    and is_asked_until(its_id) > clock_timestamp() and act->>'verb' = 'do'
    and act#>>'{args,id}' = its_id || case when (known->>'revision')::integer > 1 then '/' || (known->>'revision') else '' end) is not true
  then
    return false;
  end if;
  if kind = 'approval:denied' then
    return act->>'operation' = 'deny' and it->'why' is not distinct from nullif(act#>'{args,why}', 'null');
  end if;
  return act->>'operation' = 'approve' and (it->'call') - 'args' = (known->'call') - 'args'
    and coalesce(it#>'{call,args}', 'null') = coalesce(act#>'{args,args}', known#>'{call,args}', 'null');
end $$;

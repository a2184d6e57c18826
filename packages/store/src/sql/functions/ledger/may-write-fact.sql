-- Whether a fact may come from this actor, where that cannot wait for a replay. What else an actor may do its
-- gates decide before, replay judges it again, and test/scenarios/security/taken-over.test.ts shows that it
-- names what no gate allowed. What stays here, and why:
--   without a moment: nothing judges these facts again. The code of a worker registers and removes its roles,
--     but none of a being's; leases end that no longer hold; it says which models are down, and each restore
--     that was noted
--   on behalf of another: the questions below are asked of that one, so it must be the one that asked
--   records, counts, approvals, vouching, holds, accepted differences: see the functions that are asked
--   erasing, budgets: what was erased, and what was used up, cannot be taken back
--   pauses, ends, births: SQL itself trusts the columns `cognition` and `parent` of the row, and an end cannot
--     be taken back
--   leases: SQL itself trusts the lease
--   cut threads: a cut closes entries of others, and SQL itself takes the row of a thread for one, so a thread
--     has no qualities
--   origins of a reality: `treeos verify` reads what they say, and asks less of what was before a fork
-- @param wake of the moment
create or replace function treeos.may_write_fact(kind text, reel text, seq bigint, bytes bytea, actor text, wake treeos.inbox,
  its_moment text)
returns boolean language plpgsql stable as $$
declare
  wake_kind text := wake.kind;
  wake_caller text := wake.caller; -- who sent it
  whose text := substr(reel, 7);
  its_text text := convert_from(bytes, 'UTF8');
  it jsonb;
begin
  if actor = '$reality' then
    return case
      when kind in ('role:set', 'role:deleted') then reel = 'registry' and not exists (
        select from projection where key = 'role:' || (told(bytes)->>'name') and position('"origin":"live"' in state) > 0)
      when kind in ('registry:installed', 'registry:used') then reel = 'registry'
      when kind = 'reality:restored' then reel = 'space:/' and exists (
        select from restore r where r.why <> 'made' and told(bytes) = jsonb_build_object('n', r.n, 'why', r.why, 'lives', r.lives))
      when kind = 'being:released' then reel = 'being:' || whose and exists (
        select from lease l where l.being = whose and lease_is_valid(l.being, l.epoch) is not true)
      when kind = 'approval:expired' then is_asked_until(approval_of(reel)) <= clock_timestamp()
      when kind = 'signal:published' then reel = 'world:model' and told(bytes)->>'namespace' = 'model'
        and jsonb_typeof(told(bytes)->'value') = 'boolean' and jsonb_typeof(told(bytes)->'key') = 'array'
        and jsonb_array_length(told(bytes)->'key') = 2 and told(bytes)#>>'{key,1}' = 'down'
      else false end;
  end if;
  if position('onBehalfOf' in its_text) > 0 or position('\u' in its_text) > 0 then
    it := told(bytes);
    if (it is not null and coalesce(it->>'onBehalfOf' = wake_caller, it->'onBehalfOf' is null)) is not true then
      return false;
    end if;
    actor := coalesce(it->>'onBehalfOf', actor);
  end if;
  if starts_with(reel, 'moments:') then -- of records, whose head only close_moment moves
    return false;
  end if;
  if starts_with(kind, 'approval:') or approval_of(reel) is not null then
    return may_write_approval(kind, reel, seq, bytes, actor, wake, its_moment);
  end if;
  if is_tally(reel) or kind = 'tally:counted' then
    return is_tally(reel) and kind = 'tally:counted' and are_own_amounts(told(bytes)->'amounts', its_moment);
  end if;
  case kind
    when 'fact:erased', 'moment:erased' then return actor = 'operator' and wake_kind = 'act';
    when 'being:parked' then return reel = 'being:' || actor;
    when 'being:budgeted', 'being:unparked' then return reel <> 'being:' || actor; -- nobody bounds or frees itself
    when 'being:paused', 'being:ended' then
      return exists (select from projection p where p.key = may_write_fact.reel and p.parent is not null);
    when 'being:released' then return actor = 'operator' or actor = any(line_of(whose));
    when 'being:inhabited' then
      return wake_kind = 'act' and told(bytes)->>'by' = actor and actor <> whose and actor = any(line_of(whose));
    when 'being:born' then return seq = 1 and told(bytes)->>'parent' = actor;
    when 'thread:cut' then
      return reel = 'thread:' || (told(bytes)->>'thread') and has_part(substr(reel, 8), actor);
    when 'quality:set' then -- the root space has the standard budgets
      return split_part(reel, ':', 1) in ('being', 'space', 'matter') and (reel <> 'space:/' or told(bytes)#>>'{path,0}' is distinct from 'budget'
        or exists (select from projection where key = 'being:' || actor and parent is null));
    when 'matter:created', 'matter:written' then -- a thing holds a file only if its own actor gave the bytes
      if not reel ~ '^matter:file-[0-9a-f]{32}$' then
        return true;
      end if;
      it := told(bytes)#>'{content,file}';
      return it is null or exists (select from file f where f.id = substr(reel, 8) and f.being = actor
        and f.digest = it->>'digest' and f.media_type = it->>'mediaType' and f.size::text = it->>'bytes');
    when 'origin:vouched' then return may_vouch(reel, bytes, actor, wake);
    when 'hold:set', 'hold:lifted' then return may_hold(kind, reel, bytes, actor, wake);
    when 'being:difference-accepted' then return may_accept_difference(reel, bytes, actor, wake);
    when 'reality:made', 'reality:forked', 'reality:restored' then return false;
    else return true;
  end case;
end $$;

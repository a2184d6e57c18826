-- Whether a fact may come from this actor, for those facts that give or take power. What else an actor may do its gates decide before,
-- and replay judges again. Without a moment, the code of a worker registers its roles, but none in place of a being's; and leases end
-- that no longer hold. On behalf of another an actor does only what that one asked it for.
-- @param wake_kind of the wake of the moment, and who sent that
create or replace function treeos.may_write_fact(kind text, reel text, seq bigint, bytes bytea, actor text, wake_kind text,
  wake_caller text)
returns boolean language plpgsql stable as $$
declare
  whose text := substr(reel, 7);
  text_of_it text;
  it jsonb;
begin
  if actor = '$reality' then
    return case kind
      when 'role:set' then reel = 'registry' and not exists (
        select from projection where key = 'role:' || (told(bytes)->>'name') and position('"origin":"live"' in state) > 0)
      when 'role:deleted' then reel = 'registry'
      when 'being:released' then exists (
        select from lease l where l.being = whose and reel = 'being:' || whose and lease_is_valid(l.being, l.epoch) is not true)
      else false end;
  end if;
  text_of_it := convert_from(bytes, 'UTF8');
  if position('onBehalfOf' in text_of_it) > 0 or position('\u' in text_of_it) > 0 then
    it := told(bytes);
    if (it is not null and coalesce(it->>'onBehalfOf' = wake_caller, it->'onBehalfOf' is null)) is not true then
      return false;
    end if;
  end if;
  case kind
    when 'fact:erased', 'moment:erased' then return actor = 'operator' and wake_kind = 'act';
    when 'being:summoned', 'being:parked' then return reel = 'being:' || actor;
    when 'being:released' then return actor = 'operator' or actor = any(line_of(whose));
    when 'being:bore' then return reel in ('being:' || actor, 'being:' || wake_caller);
    when 'being:inhabited' then
      return wake_kind = 'act' and told(bytes)->>'by' = actor and actor <> whose and actor = any(line_of(whose));
    when 'being:born' then -- a mediator does it on behalf of its asker
      it := told(bytes);
      return seq = 1 and (it->>'parent' = actor or it->>'parent' = wake_caller and it->>'onBehalfOf' = wake_caller);
    else return true;
  end case;
end $$;

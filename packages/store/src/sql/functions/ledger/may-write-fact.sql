-- Whether a fact may come from this actor, for those facts that give or take power. What else an actor may do its gates decide before,
-- and replay judges again. Without a moment, the code of a worker registers its roles, but none in place of a being's; and leases end
-- that no longer hold.
create or replace function treeos.may_write_fact(kind text, reel text, seq bigint, bytes bytea, actor text, wake treeos.inbox)
returns boolean language plpgsql stable as $$
declare
  whose text := substr(reel, 7);
  told jsonb;
begin
  if actor = '$reality' then
    return case kind
      when 'role:set' then reel = 'registry' and not exists (
        select from projection where key = 'role:' || substring(convert_from(bytes, 'UTF8') from '"name":"([^"]*)"')
          and position('"origin":"live"' in state) > 0)
      when 'role:deleted' then reel = 'registry'
      when 'being:released' then exists (
        select from lease l where l.being = whose and reel = 'being:' || whose and lease_is_valid(l.being, l.epoch) is not true)
      else false end;
  end if;
  if kind in ('fact:erased', 'moment:erased') then
    return actor = 'operator' and wake.kind = 'act';
  elsif kind in ('being:summoned', 'being:parked') then
    return reel = 'being:' || actor;
  elsif kind = 'being:released' then
    return actor = 'operator' or actor = any(line_of(whose));
  elsif kind in ('being:born', 'being:bore', 'being:inhabited') then
    told := json_of(bytes);
    if kind = 'being:inhabited' then
      return wake.kind = 'act' and told->>'by' = actor and actor <> whose and actor = any(line_of(whose));
    elsif kind = 'being:born' then -- a mediator does it on behalf of its asker
      return seq = 1 and case when told is null then position(format('"parent":"%s"', actor) in convert_from(bytes, 'UTF8')) > 0
        else told->>'parent' = actor or told->>'parent' = wake.caller and told->>'onBehalfOf' = wake.caller end;
    end if;
    return reel in ('being:' || actor, 'being:' || wake.caller);
  end if;
  return true;
end $$;

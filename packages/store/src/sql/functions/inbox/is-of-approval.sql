-- Whether an entry about a call that waits for a yes follows from a fact of the same batch: it asks a person
-- that the fact names; or it wakes the being that asked, with what was answered, and goes on for who asked
-- that being.
-- @param w the wake of the moment; null where nobody answered in time
-- It stays, since such an entry asks a person for a yes, or brings it.
create or replace function treeos.is_of_approval(batch jsonb, w treeos.inbox, e treeos.inbox) returns boolean
language plpgsql stable as $$
declare
  its_id text := approval_in(e.id);
  how text := about_approval(e.kind, e.id);
  fact jsonb := jsonb_path_query_first(batch->'facts', '$[*] ? ((@.kind == $kind || @.kind == $again) && @.reel == $reel)',
    jsonb_build_object('kind', 'approval:' || case how when 'approved' then 'given' else how end,
      'again', case how when 'asked' then 'approval:given' end, 'reel', approval_reel(its_id)));
  content jsonb := told(e.content);
  known jsonb;
  a inbox; -- the wake of the moment that asked
begin
  if fact is null or how is null or e.notice is not null or content->>'event' is distinct from how
    or content->>'approval' is distinct from its_id
  then
    return false;
  end if;
  if how = 'asked' and fact->>'kind' = 'approval:given' then -- to another call: the others are asked anew
    known := asked_row(its_id); -- with that change
    return (known->>'revision')::integer > 1
      and (e.outside and content->'outside' = 'true' or known->'fromOutside' is null) -- the person reads the content
      and e.id = approval_entry('asked', its_id, e.being, (known->>'revision')::integer) and e.caller is null
      and e.priority between 1 and 9 and content->>'actor' = '@' || (known->>'asker')
      and e.root = known->>'root' and known->'rules' @> jsonb_build_array(jsonb_build_object('who', jsonb_build_array(e.being)));
  elsif how = 'asked' then
    return e.id = approval_entry('asked', its_id, e.being) and e.caller is null and e.priority between 1 and 9 and e.root in (w.root, w.id)
      and content->>'actor' = '@' || (batch->>'being') and (w.outside is not true or content->'outside' = 'true')
      and told(decode(fact->>'bytes', 'hex'))->'rules' @> jsonb_build_array(jsonb_build_object('who', jsonb_build_array(e.being)));
  end if;
  known := asked_row(its_id);
  select i.* into a from inbox i join moment_open o on o.wake = i.id where o.moment = its_id;
  return (e.outside or known->'fromOutside' is null) and e.id = approval_entry(how, its_id) and e.being = known->>'asker' and a.id = known->>'wake'
    and content->>'actor' is not distinct from '@' || (batch->>'being')
    and (e.caller, e.caller_role, e.caller_cognition) is not distinct from
      (known#>>'{caller,name}', known#>>'{caller,role}', known#>>'{caller,cognition}')
    and e.in_reply_to is not distinct from case when a.kind <> 'act' then a.in_reply_to end
    and e.answers is not distinct from known->>'question' and e.root = known->>'root'
    and (e.priority, e.hops, e.continues, e.expect_reply) is not distinct from
      (a.priority, a.hops, a.continues + case how when 'approved' then 0 else 1 end, a.expect_reply)
    -- As many persons as each rule wants have said yes to this call.
    and (how <> 'approved' or not exists (
      select from jsonb_array_elements(known->'rules') rule
      where (rule->>'count')::integer > (
        select count(distinct convert_from(f.header, 'UTF8')::jsonb->>'actor')
        from fact f
        where f.reel = approval_reel(its_id) and f.kind = 'approval:given' and told(f.bytes)->'call' = content->'call'
          and rule->'who' @> jsonb_build_array(convert_from(f.header, 'UTF8')::jsonb->>'actor'))));
end $$;

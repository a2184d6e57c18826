-- Whether each change of a batch is told by the fact that it names, in the words of `changeContent`: by whom
-- and of what, and the value of a signal only. Its thread and its hops follow from the wake of the moment;
-- without a moment it begins a thread, and names nobody. It stays, since replay compares a change with its
-- fact only once a being has lived it.
create or replace function treeos.is_changed(batch jsonb, w treeos.inbox) returns boolean language plpgsql stable as $$
declare
  c jsonb;
  fact jsonb;
  it jsonb; -- what the fact tells
  said jsonb;
  is_signal boolean;
  of_what text;
  target text;
begin
  for c in select * from jsonb_array_elements(batch->'changes') loop
    fact := jsonb_path_query_first(batch->'facts', '$[*] ? (@.hash == $hash)', jsonb_build_object('hash', c#>'{event,cause}'));
    it := told(decode(fact->>'bytes', 'hex'));
    said := told(convert_to(c#>>'{event,content}', 'UTF8'));
    is_signal := fact->>'kind' = 'signal:published';
    of_what := case when is_signal then 'world.' || (it->>'namespace') when fact->>'reel' like 'being:%' then 'being.quality' else 'space.quality' end;
    target := case when is_signal then null when fact->>'reel' like 'being:%' then '@' || substr(fact->>'reel', 7)
      else substr(fact->>'reel', 7) end;
    if (fact->>'reel' = c->>'reel'
      and said - 'value' = jsonb_strip_nulls(jsonb_build_object(
        'actor', '@' || case when batch->>'moment' is not null then coalesce(it->>'onBehalfOf', batch->>'being') end, 'event', 'changed',
        'target', target, 'what', of_what || '.' || array_to_string(array(
          select jsonb_array_elements_text(it->(case when is_signal then 'key' else 'path' end))), '.')))
      and (said->'value' is null or is_signal and said->'value' = coalesce(it->'value', 'null'))
      and case when batch->>'moment' is null then c#>>'{event,root}' = 'change/' || (c#>>'{event,cause}') and (c#>>'{event,hops}')::integer = 0
        else c#>>'{event,root}' in (w.root, w.id) and (c#>>'{event,hops}')::integer = w.hops + 1 end
      and (coalesce((c#>>'{event,outside}')::boolean, false) or w.outside is not true)
      and (c#>>'{event,priority}')::integer between 1 and 9) is not true
    then
      return false;
    end if;
  end loop;
  return true;
end $$;

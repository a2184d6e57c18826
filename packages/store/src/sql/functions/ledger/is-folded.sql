-- Whether facts of a batch can make a row what it is: its last fact is there; a being is born with the maker and the mind that its fact
-- tells; later its maker stays, and who decides for it and what wakes it change by some facts only. That the rest of a row is the
-- fold of its reel, `treeos verify` shows.
-- @param facts of the batch
-- @param r the row, as the batch brings it
create or replace function treeos.is_folded(facts jsonb, r jsonb) returns boolean language plpgsql stable as $$
declare
  its_key text := r->>'key';
  its_reel text := r->>'reel';
  own jsonb := jsonb_path_query_array(facts, '$[*] ? (@.reel == $reel)', jsonb_build_object('reel', its_reel));
  last jsonb := jsonb_path_query_first(own, '$[*] ? (@.seq == $seq)', jsonb_build_object('seq', r->'foldedSeq'));
  birth jsonb;
  its_parent text;
  its_cognition text;
begin
  if last is null then
    return false;
  elsif its_reel = 'registry' then
    return its_key = 'role:' || (told(decode(last->>'bytes', 'hex'))->>'name');
  elsif its_key <> its_reel then
    return false;
  elsif not starts_with(its_key, 'being:') then
    return r->>'parent' is null and r->>'cognition' is null;
  elsif jsonb_path_exists(own, '$[*] ? (@.kind == "being:born")') then
    birth := told(decode(jsonb_path_query_first(own, '$[*] ? (@.kind == "being:born")')->>'bytes', 'hex'));
    return r->>'parent' = birth->>'parent' and r->>'cognition' = birth#>>'{cognition,kind}';
  end if;
  select parent, cognition into its_parent, its_cognition from projection where key = its_key;
  return found and r->>'parent' is not distinct from its_parent
    and (r->>'cognition' is not distinct from its_cognition
      or jsonb_path_exists(own, '$[*] ? (@.kind == "being:inhabited" || @.kind == "being:released" || @.kind == "being:paused"
        || @.kind == "being:unpaused" || @.kind == "being:ended")'))
    and (jsonb_typeof(r->'watches') is distinct from 'array'
      or jsonb_path_exists(own, '$[*] ? (@.kind == "quality:set" || @.kind == "being:moved" || @.kind == "being:ended")'));
end $$;

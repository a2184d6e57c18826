-- Whether facts of a batch can make a row what it is: its last fact is there; a being is born with the maker
-- and the mind that its fact tells; later its maker stays, and who decides for it and what wakes it change by
-- some facts only. That the rest of a row is the fold of its reel, `treeos verify` shows.
-- @param facts of the batch
-- @param r the row, as the batch brings it
-- @param stored the row, as it is stored; null: it is not yet
-- It stays, since SQL itself trusts the columns `parent`, `cognition` and the watches of a row.
create or replace function treeos.is_folded(facts jsonb, r jsonb, stored treeos.projection) returns boolean language plpgsql stable as $$
declare
  its_key text := r->>'key';
  its_reel text := r->>'reel';
  own jsonb;
  birth jsonb;
begin
  if facts @> jsonb_build_array(jsonb_build_object('reel', r->'reel', 'seq', r->'foldedSeq')) is not true then
    return false;
  elsif its_reel = 'registry' then
    return its_key = 'role:' || (told(decode(
      jsonb_path_query_first(facts, '$[*] ? (@.reel == "registry" && @.seq == $seq)', jsonb_build_object('seq', r->'foldedSeq'))->>'bytes',
      'hex'))->>'name');
  elsif its_key <> its_reel then
    return false;
  elsif not starts_with(its_key, 'being:') then
    return r->>'parent' is null and r->>'cognition' is null;
  end if;
  if stored.key is null then
    birth := told(decode(
      jsonb_path_query_first(facts, '$[*] ? (@.kind == "being:born" && @.reel == $reel)', jsonb_build_object('reel', its_reel))->>'bytes',
      'hex'));
    return r->>'parent' = birth->>'parent' and r->>'cognition' = birth#>>'{cognition,kind}';
  elsif r->>'parent' is distinct from stored.parent
    or facts @> jsonb_build_array(jsonb_build_object('kind', 'being:born', 'reel', its_reel)) -- it is born already
  then
    return false;
  elsif r->>'cognition' is not distinct from stored.cognition and jsonb_typeof(r->'watches') is distinct from 'array' then
    return true;
  end if;
  own := jsonb_path_query_array(facts, '$[*] ? (@.reel == $reel)', jsonb_build_object('reel', its_reel));
  return (r->>'cognition' is not distinct from stored.cognition
      or jsonb_path_exists(own, '$[*] ? (@.kind == "being:inhabited" || @.kind == "being:released" || @.kind == "being:paused"
        || @.kind == "being:resumed" || @.kind == "being:ended")'))
    and (jsonb_typeof(r->'watches') is distinct from 'array'
      or jsonb_path_exists(own, '$[*] ? (@.kind == "quality:set" || @.kind == "being:moved" || @.kind == "being:ended")'));
end $$;

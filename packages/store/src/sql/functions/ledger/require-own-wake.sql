-- The wake of the moment that a batch ends. Raises an error unless the batch follows from it: the moment was
-- opened for this wake, which no other moment has claimed, and what a person's act asked for, or said yes to,
-- is what the moment decided. Without a moment a batch holds facts and their rows, what tells a being that
-- nobody answered it in time, and which models came or went. An outcome of a life that is over changes
-- nothing. The wake is `outside`, too, when an effect of the moment brought something: that is from outside.
-- It stays, since it ties what a batch writes to a claimed wake and to the life of its being.
create or replace function treeos.require_own_wake(batch jsonb) returns treeos.inbox language plpgsql stable as $$
declare
  this_being text := batch->>'being';
  this_moment text := batch->>'moment';
  ended text := batch#>>'{outcome,kind}';
  is_over boolean := coalesce(batch#>>'{outcome,reason}' = 'superseded', false);
  own record;
  w inbox;
begin
  if this_moment is null or is_over then
    if (jsonb_array_length(batch->'closes') = 0
      and not batch->'changes' @? 'strict $[*] ? (!(@.reel == "world:model"))' and (not is_over or jsonb_array_length(batch->'changes') = 0)
      and (jsonb_array_length(batch->'inbox') = 0 or this_being is null and batch->'inbox' @? '$[*] ? (@.id starts with "expired/")')
      and case when is_over
        then ended = 'skipped' and jsonb_array_length(batch->'facts') + jsonb_array_length(batch->'rows') = 0
          and split_part(this_moment, '/', 1) = this_being
          and split_part(this_moment, '/', 2)::integer < (batch->>'generation')::integer
          and not batch ?| array['open', 'decision'] -- what is over was opened before
        else this_being is null and jsonb_typeof(batch->'outcome') = 'null' end) is not true
    then
      raise exception 'refused: only the moment of a being says, wakes and closes anything' using errcode = '42501';
    end if;
    return null;
  end if;
  select i as wake, e.result is not null as has_result into own
    from inbox i join moment_open o on o.wake = i.id left join moment_effect e on e.moment = o.moment
    where o.moment = this_moment and o.being = this_being and i.id = batch#>>'{outcome,wake}';
  w := own.wake;
  if not found
    or this_moment is distinct from format('%s/%s/%s', this_being, batch->>'generation', batch#>>'{outcome,n}')
    or is_claimable(w, this_being, this_moment) is not true
  then
    raise exception 'refused: moment % was not opened for the wake %', this_moment, batch#>>'{outcome,wake}' using errcode = '42501';
  end if;
  if ended in ('act', 'waiting') and (w.kind = 'act' and is_asked(w, this_moment, (batch->>'lease')::integer)
    or brings_yes(w.kind, w.id) and is_approved(w, this_moment, (batch->>'lease')::integer)
    or w.kind <> 'act' and not brings_yes(w.kind, w.id) and batch->>'lease' is null) is not true
  then
    raise exception 'refused: moment % does what % does not ask for', this_moment, w.id using errcode = '42501';
  end if;
  w.outside := w.outside or own.has_result;
  return w;
end $$;

-- Whether what a moment did sends a wake: a summon its own fact tells; a notice to who asked, to a maker or
-- to the operator; a wake of a child; the wake by which the being itself goes on; or what asks for a yes and
-- answers it. A wake by change, and one whose thread was cut, begins a thread of its own: then `root` is its
-- id.
-- @param w the wake of the moment
-- @param e the wake that it sends
-- It stays, since nothing else compares what a moment sends with the law: `treeos verify` compares it with
-- the record of the moment alone.
create or replace function treeos.is_sent(batch jsonb, w treeos.inbox, e treeos.inbox) returns boolean
language plpgsql stable as $$
declare
  this_being text := batch->>'being';
  this_moment text := batch->>'moment';
  ended text := batch#>>'{outcome,kind}';
  why text := batch#>>'{outcome,reason}';
  fact jsonb; -- of a summon
  says_who boolean;
  asker treeos.inbox := w; -- the wake of who speaks: a being that summoned itself does not
  question text := question_of(w); -- the wake that the moment is about
  content jsonb;
begin
  if e.orientation is not null and not (e.kind = 'summon' and e.being = this_being and e.orientation in ('forward', 'half', 'inward'))
    and not (e.id = 'refused/' || this_moment and e.orientation is not distinct from w.orientation)
  then
    return false; -- only a being itself says how it looks
  end if;
  if about_approval(e.kind, e.id) is not null then
    return is_of_approval(batch, w, e);
  end if;
  if w.kind <> 'act' and e.hops < least(w.hops, (select min(i.hops) from inbox i where i.id in (e.in_reply_to, question)))
    or e.priority not between 1 and 9 then
    return false;
  end if;
  if w.kind = 'summon' and w.caller = this_being then
    select * into asker from inbox where id = question;
  end if;
  if e.kind = 'summon' then
    fact := jsonb_path_query_first(batch->'facts', '$[*] ? (@.hash == $hash)', jsonb_build_object('hash', encode(e.cause, 'hex')));
    return ended = 'act' and e.notice is null and e.caller = this_being
      and (e.answers is null or e.being = this_being and e.answers = question)
      and e.id = case when w.kind = 'act' and starts_with(w.id, 'act/') then substr(w.id, 5) else this_moment end
      and (e.root in (e.id, w.root, w.id) or has_part(e.root, this_being)) and (e.caller_cognition = 'human') = (w.kind = 'act' or brings_yes(w.kind, w.id) and (
        batch->>'lease' is not null or exists (select from projection where key = 'being:' || this_being and cognition = 'human')))
      and fact->>'kind' = 'being:summoned'
      and fact->>'reel' = 'being:' || this_being and is_said(e, convert_from(decode(fact->>'bytes', 'hex'), 'UTF8'));
  end if;
  content := told(e.content);
  says_who := content->>'actor' = '@' || this_being;
  if e.kind <> 'event' then
    return false;
  elsif e.notice is not null then
    return says_who and e.caller is null and e.root in (w.root, w.id, e.id)
      and (e.in_reply_to is null or e.in_reply_to = question and e.being = (select i.caller from inbox i where i.id = question))
      and e.notice = rtrim(format('%s @%s %s', content->>'event', this_being, case when content ? 'code' then coalesce(content->>'code', 'null') end))
      and (e.being = (select i.caller from inbox i where i.id = question) or e.being = 'operator' or e.being = any(line_of(this_being)))
      and case split_part(e.id, '/', 1)
        when 'notice' then (ended in ('failure', 'skipped') or e.in_reply_to is not null) and e.id = format('notice/%s/%s', this_moment, e.being)
        when 'parked' then e.id = 'parked/' || this_moment
          and batch->'facts' @> jsonb_build_array(jsonb_build_object('kind', 'being:parked'))
        when 'spent' then why = 'steps-spent' and starts_with(e.id, format('spent/%s/', this_being))
        when 'looked' then ended = 'see' and starts_with(e.id, format('looked/%s/', this_being))
        when 'repeated' then (why = 'repeated-call' or ended = 'see') and starts_with(e.id, format('repeated/%s/', this_being))
        when 'chain-spent' then (why = 'chain-spent' or ended = 'see') and e.id in ('chain-spent/' || w.root, 'chain-spent/' || w.id)
        else false end;
  elsif e.id in ('look/' || this_moment, 'continue/' || this_moment, 'refused/' || this_moment, 'read/' || this_moment) then -- it goes on for who asked
    return says_who and e.being = this_being and e.root in (w.root, w.id) and e.in_reply_to is not distinct from w.in_reply_to
      and ((e.caller, e.caller_role, e.caller_cognition) is not distinct from (asker.caller, asker.caller_role, asker.caller_cognition)
        or e.caller is null and w.kind = 'summon' and w.caller = this_being) -- which has answered
      and case split_part(e.id, '/', 1) when 'look' then ended = 'see' and e.continues > 0
        when 'continue' then (ended = 'act' or ended = 'failure' and starts_with(w.id, 'read/')) and e.continues > 0
        when 'read' then ended in ('act', 'failure') and e.continues > 0
        else ended = 'failure' and e.continues > 0 and e.refusals = coalesce(w.refusals, 0) + 1 and e.refusals <= 2
          and e.cause is not distinct from w.cause end;
  end if;
  return ended = 'act' and e.caller is null and e.id = format('awakened/%s/%s', this_moment, e.being)
    and case w.kind when 'act' then e.root = e.id else e.root in (w.root, w.id) end
    and exists (select from projection where key = 'being:' || e.being and parent = this_being);
end $$;

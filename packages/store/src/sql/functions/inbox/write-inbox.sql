-- Puts wakes into inboxes, once for each id. Leaves out notices, which write_notices puts there.
-- For which wake each is, follows from that of its moment.
-- @param wake of the moment that sends them, when the batch comes from a worker; each must follow from what
--   the moment did
create or replace function treeos.write_inbox(batch jsonb, guarded boolean, wake treeos.inbox) returns void language plpgsql as $$
declare
  forged text;
  question text; -- the wake that the moment is about
begin
  if guarded then
    if (batch->>'noticesMax')::integer < 100 then
      raise exception 'refused: an inbox holds 100 notices at least, not %', batch->>'noticesMax' using errcode = '42501';
    end if;
    select e.id into forged from jsonb_populate_recordset(null::inbox, batch->'inbox') e
      where (is_sent(batch, wake, e) and (e.outside or wake.outside is not true)) is not true limit 1;
    if found then
      raise exception 'refused: nothing that moment % did sends the wake %', batch->>'moment', forged using errcode = '42501';
    end if;
  end if;
  question := (select question_of(i) from inbox i where i.id = batch#>>'{outcome,wake}');
  insert into inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause, answers, about, refusals, expect_reply, channel, overlay, outside, orientation, salt)
    select id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause, answers,
      case
        when about_approval(kind, id) is not null
          then (select question_of(i) from moment_open m join inbox i on i.id = m.wake where m.moment = approval_in(e.id))
        when case kind when 'event' then being = batch->>'being' else in_reply_to is null end then question end,
      refusals, expect_reply, channel, overlay, coalesce(outside, false), orientation, salt
    from jsonb_populate_recordset(null::inbox, batch->'inbox') e
    where notice is null
    on conflict (id) do nothing;
end $$;

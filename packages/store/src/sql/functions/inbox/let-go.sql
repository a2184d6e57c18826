-- Tells the being that asked something that no answer comes, once, where no moment can. A person is told by
-- whatever waits for it.
create or replace function treeos.let_go(q treeos.inbox, why text) returns void language plpgsql as $$
begin
  update inbox set let_go = 'unanswered/' || q.id
    where id = q.id and let_go is null and kind = 'summon' and in_reply_to is null and expect_reply and caller <> being
      and caller_cognition <> 'human' and not exists (select from inbox r where r.in_reply_to = q.id and r.being = q.caller and r.kind = 'summon');
  if found then
    insert into inbox (id, being, kind, priority, content, root, in_reply_to, hops, about, notice)
      values ('unanswered/' || q.id, q.caller, 'event', q.priority, convert_to(format(
          '{"actor":"@%s","code":"NO_ANSWER","correlation":%s,"event":"unanswered","message":%s}', q.being, to_json(q.id), to_json(why)), 'UTF8'),
        q.root, q.id, q.hops, q.about, 'unanswered/' || q.id)
      on conflict (id) do nothing;
  end if;
end $$;

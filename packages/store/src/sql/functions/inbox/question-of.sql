-- The question that a moment with this wake is about: its own wake; or, where its being goes on by it, or is
-- told of the end of a question of its own, the one for which it did or asked. Null where it is about none.
create or replace function treeos.question_of(w treeos.inbox) returns text language sql stable as $$
  select case
    when w.kind = 'act' then null
    when w.about is not null and (w.kind = 'event' or w.caller = w.being) then w.about
    when w.in_reply_to is not null then (select s.about from treeos.inbox s where s.id = w.in_reply_to and s.caller = w.being)
    when w.kind = 'summon' and w.caller <> w.being and w.expect_reply then w.id end
$$;

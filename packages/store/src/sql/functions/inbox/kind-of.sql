-- What an entry of an inbox asks of its person: `question`, `approval` and `budget` need a decision,
-- `answer`, `notice`, `news` and `event` do not. `asks-back` is an answer that asks its person: it needs words,
-- and may be closed as read, since nothing waits for them. The notice of a being that is not parked any more asks for
-- nothing.
create or replace function treeos.kind_of(entry treeos.inbox) returns text language sql stable as $$
  select case
    when entry.kind = 'summon' then case
      when entry.in_reply_to is null then case when entry.expect_reply then 'question' else 'news' end
      when treeos.asks_back(entry.content) then 'asks-back' else 'answer' end
    when starts_with(entry.id, 'asked/') then 'approval'
    when starts_with(entry.id, 'parked/') then case
      when treeos.is_parked(split_part(entry.id, '/', 2)) then 'budget' else 'notice' end
    when entry.notice is not null then 'notice' else 'event' end
$$;

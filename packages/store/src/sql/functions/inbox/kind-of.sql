-- What an entry of an inbox asks of its person: `question`, `approval` and `budget` need a decision,
-- `answer`, `notice`, `news` and `event` do not. The notice of a being that is not parked any more asks for
-- nothing.
create or replace function treeos.kind_of(entry treeos.inbox) returns text language sql stable as $$
  select case
    when entry.kind = 'summon' then case
      when entry.in_reply_to is not null then 'answer' when entry.expect_reply then 'question' else 'news' end
    when starts_with(entry.id, 'asked/') then 'approval'
    when starts_with(entry.id, 'parked/') then case
      when treeos.is_parked(split_part(entry.id, '/', 2)) then 'budget' else 'notice' end
    when entry.notice is not null then 'notice' else 'event' end
$$;

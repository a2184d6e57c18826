-- Whether words ask: a sentence of their last paragraph ends with a question mark. `asksBack` of the package
-- client is the same, and a test compares them.
create or replace function treeos.asks_back(content bytea) returns boolean language sql immutable as $$
  select coalesce(regexp_replace(btrim(words, E' \n\t\r'), '^.*\n\s*\n', '') ~ '\S[?？؟]["”’»)\]*_'']*(\s|$)', false)
  from (select treeos.told(content) as told) as of_entry, lateral (
    select case jsonb_typeof(told) when 'string' then told #>> '{}' when 'object' then told ->> 'text' end as words) as said
$$;

-- Reserves as reserve does, for a moment that has just been claimed: the head of its being's records is
-- locked, the moment has no outcome, and nothing was reserved for it. Where the being's own account is the
-- only one above it, and the cost fits, one statement checks and counts it. In all other cases reserve
-- answers. It is a second way because every turn of a model reserves here, and one statement takes a third
-- less time than reserve does (0.65 ms against 0.94 ms a call).
create or replace function treeos.reserve_first(whose text, for_moment text, its_attempt integer, need_tokens bigint, need_micros bigint)
returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  usual jsonb := standard('llm'); -- bounds accounts of revision 0
  usual_tokens bigint := usual->>'tokens';
  usual_micros bigint := round((usual->>'money')::numeric * 1000000);
  usual_per text := usual->>'per';
  is_joint boolean := usual ? 'tokensPerPerson';
  its_day date;
begin
  if array(select being from account where being = any(line_of(whose))) <> array[whose] then
    return reserve(whose, for_moment, its_attempt, need_tokens, need_micros);
  end if;
  update account a set day = today,
      day_tokens = case when a.day = today then a.day_tokens else 0 end + need_tokens,
      total_tokens = a.total_tokens + need_tokens, reserved_tokens = a.reserved_tokens + need_tokens,
      day_micros = case when a.day = today then a.day_micros else 0 end + coalesce(need_micros, 0),
      total_micros = a.total_micros + coalesce(need_micros, 0), reserved_micros = a.reserved_micros + coalesce(need_micros, 0)
    from (select (clock_timestamp() at time zone time_zone)::date as today from reality) as t
    where a.being = whose
      and (case when a.revision = 0 then usual_tokens else a.tokens_max end is null
        or case when case when a.revision = 0 then usual_per else a.per end = 'total' then a.total_tokens
          when a.day = today then a.day_tokens else 0 end + need_tokens
          <= case when a.revision = 0 then usual_tokens else a.tokens_max end)
      and (case when a.revision = 0 then usual_micros else a.micros_max end is null
        or case when case when a.revision = 0 then usual_per else a.per end = 'total' then a.total_micros
          when a.day = today then a.day_micros else 0 end + need_micros
          <= case when a.revision = 0 then usual_micros else a.micros_max end)
      and (not is_joint or a.drawn_day = today and a.drawn_tokens >= need_tokens + case when a.day = today then a.day_tokens else 0 end)
    returning today into its_day;
  if not found then
    return reserve(whose, for_moment, its_attempt, need_tokens, need_micros);
  end if;
  insert into reservation (moment, attempt, day, accounts, tokens, micros)
    values (for_moment, its_attempt, its_day, array[whose], need_tokens, coalesce(need_micros, 0));
  return '{"status": "reserved"}';
end $$;

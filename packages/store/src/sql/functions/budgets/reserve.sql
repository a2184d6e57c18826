-- Reserves the most that one attempt of a model call can cost, on every account up the birth chain. An
-- earlier attempt of the moment that was not settled is settled at its reservation. A being without a budget
-- of its own gets an account at its first call; the standard budget bounds accounts of revision 0. Returns
-- {status}:
--   free      no being up the chain has an account, and the standard budget limits nothing
--   reserved  the call may be made; the same attempt gets this answer again
--   waits     the call will fit if calls under way cost less than they reserved
--   breach    the call cannot fit; with the limit that it breaks
--   over      the attempt is settled, or its moment is closed
-- Generic plans: Postgres would plan each statement that names accounts anew, since it cannot know how many
-- the array holds.
create or replace function treeos.reserve(whose text, for_moment text, its_attempt integer, need_tokens bigint, need_micros bigint)
returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  line text[] := line_of(whose);
  limited text[];
  usual jsonb := standard('llm');
  earlier integer;
  has_earlier boolean;
  settled boolean;
  zone text;
  today date;
  a account;
  used_tokens bigint;
  used_micros bigint;
  breach jsonb;
  waits jsonb;
begin
  select array_agg(being) into limited from account where being = any(line);
  if usual ?| array['tokens', 'money', 'tokensPerPerson'] and whose <> all(coalesce(limited, '{}')) then
    insert into account (being, revision, per) values (whose, 0, 'day') on conflict do nothing;
    limited := array_append(limited, whose);
  end if;
  if limited is null then
    return jsonb_build_object('status', 'free');
  end if;
  -- The append that closes the moment holds this head. After it nothing may be reserved, because nothing
  -- would settle it.
  perform 1 from head where reel = 'moments:' || whose for share;
  if exists (select from moment_outcome where moment = for_moment) then
    return jsonb_build_object('status', 'over');
  end if;
  perform 1 from account where being = any(limited || reserved_accounts(for_moment)) order by being collate "C" for update;
  select bool_or(settled_at is null) filter (where attempt <> its_attempt),
      bool_or(settled_at is not null) filter (where attempt = its_attempt)
    into has_earlier, settled
    from reservation where moment = for_moment;
  if has_earlier then
    for earlier in
      select attempt from reservation where moment = for_moment and attempt <> its_attempt and settled_at is null
    loop
      perform settle_locked(for_moment, earlier, null, null);
    end loop;
  end if;
  if settled is not null then
    return jsonb_build_object('status', case when settled then 'over' else 'reserved' end);
  end if;

  select time_zone, (clock_timestamp() at time zone time_zone)::date into zone, today from reality;
  for a in select * from account where being = any(limited) order by array_position(line, being) loop
    if a.revision = 0 then
      a.revision := -(usual->>'revision')::integer;
      a.tokens_max := (usual->>'tokens')::bigint;
      a.micros_max := round((usual->>'money')::numeric * 1000000);
      a.per := usual->>'per';
    end if;
    if a.per = 'day' then
      used_tokens := case when a.day = today then a.day_tokens else 0 end;
      used_micros := case when a.day = today then a.day_micros else 0 end;
    else
      used_tokens := a.total_tokens;
      used_micros := a.total_micros;
    end if;
    breach := null;
    if used_tokens + need_tokens > a.tokens_max then
      breach := jsonb_build_object('limit', 'tokens', 'max', a.tokens_max, 'used', used_tokens, 'reserved', a.reserved_tokens,
        'needs', need_tokens);
    elsif a.micros_max is not null and (need_micros is null or used_micros + need_micros > a.micros_max) then
      breach := jsonb_build_object('limit', 'money', 'max', a.micros_max, 'used', used_micros, 'reserved', a.reserved_micros,
        'needs', need_micros);
    end if;
    if breach is not null then
      breach := breach || jsonb_build_object('of', a.being, 'revision', a.revision, 'per', a.per,
        'until', case a.per when 'day' then (extract(epoch from (today + 1)::timestamp at time zone zone) * 1000)::bigint end);
      -- Calls under way may free what they hold. A call that would not fit even then is a breach; any other
      -- can wait.
      if need_micros is null and breach->>'limit' = 'money' or (breach->>'used')::bigint - (breach->>'reserved')::bigint
        + (breach->>'needs')::bigint > (breach->>'max')::bigint
      then
        return breach || jsonb_build_object('status', 'breach');
      end if;
      waits := coalesce(waits, breach);
    end if;
  end loop;
  if waits is not null then
    return waits || jsonb_build_object('status', 'waits');
  end if;

  breach := draw(line, limited, need_tokens, today, usual);
  if breach is not null then
    return breach || jsonb_build_object('status', 'breach', 'until',
      (extract(epoch from (today + 1)::timestamp at time zone zone) * 1000)::bigint);
  end if;
  insert into reservation (moment, attempt, day, accounts, tokens, micros)
    values (for_moment, its_attempt, today, limited, need_tokens, coalesce(need_micros, 0));
  update account set day = today,
      day_tokens = case when day = today then day_tokens else 0 end + need_tokens,
      total_tokens = total_tokens + need_tokens, reserved_tokens = reserved_tokens + need_tokens,
      day_micros = case when day = today then day_micros else 0 end + coalesce(need_micros, 0),
      total_micros = total_micros + coalesce(need_micros, 0),
      reserved_micros = reserved_micros + coalesce(need_micros, 0)
    where being = any(limited);
  return jsonb_build_object('status', 'reserved');
end $$;

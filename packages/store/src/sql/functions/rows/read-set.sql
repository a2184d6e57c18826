-- Reads a read set for a moment of a being, all of it at one instant: ReadSet in packages/store/src/rows.
-- `what` says which columns of a line are filled, and with what: ReadSetItem in `rows/read-set-items.ts`.
-- `bounds` are the most lines of said, did, waiting and threads. Each of `places` is a kind, how many of it
-- (a number, all, or count), and a place, with a space between: `being: 200 /`. Generic plans: Postgres would
-- plan it anew each time, since it cannot know how many keys the arrays hold.
create or replace function treeos.read_set(
  whose text, its_wake text, its_root text, keys text[], reels text[], places text[], parents text[], asides text[], wore text[],
  bounds integer[]
) returns table (what text, key text, text text, number bigint, hash bytea, state_seq bigint)
language plpgsql stable set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    select 'row', k.key, p.state, h.seq, h.hash, h.state_seq
      from unnest(read_set.keys, reels) as k(key, reel)
        left join projection p on p.key = k.key
        left join head h on h.reel = k.reel
    union all
    select 'now', '', null, (extract(epoch from clock_timestamp()) * 1000)::bigint, null, null
    union all
    (select 'sealed', '', o.primary_role, o.sealed_at, null, null from moment_outcome o
      where o.being = whose and o.kind = 'act' order by o.n desc limit 1);
  if cardinality(parents) > 0 then
    return query
      select 'child', p.key, p.parent, null::bigint, null::bytea, null::bigint from projection p
      where p.parent = any(parents) order by p.key collate "C";
  end if;
  -- The keys of one kind stand together in the collation C, in which an index holds what is in a place.
  if cardinality(places) > 0 then
    return query
      select case l.most when 'count' then 'count' else 'list' end, p.key, l.kind || l.place, p.number, null::bytea, null::bigint
      from (select split_part(a, ' ', 1) as kind, split_part(a, ' ', 2) as most,
          substr(a, length(split_part(a, ' ', 1)) + length(split_part(a, ' ', 2)) + 3) as place
        from unnest(places) a) l
        cross join lateral (
          (select i.key, null::bigint as number from projection i
            where l.most <> 'count' and i.place = l.place and i.key collate "C" >= l.kind and i.key collate "C" < rtrim(l.kind, ':') || ';'
            order by i.key collate "C" limit nullif(nullif(l.most, 'all'), 'count')::integer)
          union all
          select l.kind || l.place, count(*) from projection i
            where l.most = 'count' and i.place = l.place and i.key collate "C" >= l.kind and i.key collate "C" < rtrim(l.kind, ':') || ';'
            having l.most = 'count') p;
  end if;
  if cardinality(wore) > 0 then
    return query
      select 'wore', b.being, o.primary_role, null::bigint, null::bytea, null::bigint
      from unnest(wore) as b(being)
        cross join lateral (select m.primary_role from moment_outcome m
          where m.being = b.being and m.kind in ('act', 'see') order by m.n desc limit 1) o;
  end if;
  -- Leaves out messages to the being that came after its wake. Each of them opens its own moment.
  if 'said' = any(asides) and its_wake is not null then
    return query
      select 'said', f.kind || ' ' || f.reel, convert_from(f.bytes, 'UTF8'), f.seq, f.hash, i.total
      from (select cause, age, count(*) over () as total from inbox
          where root = its_root and kind = 'summon' and cause is not null and id <> its_wake
            and (caller = whose or being = whose and age < (select age from inbox where id = its_wake))
          order by age desc limit bounds[1]) i
        join fact f on f.hash = i.cause
      order by i.age;
  end if;
  if 'did' = any(asides) then
    return query
      select 'did', f.kind || ' ' || f.reel, convert_from(f.bytes, 'UTF8'), f.seq, f.hash, null::bigint
      from fact f
      where f.moment = (select moment from moment_outcome where being = whose and kind = 'act' order by n desc limit 1)
        and f.reel !~ '^tally:[^ ]+ shadow\.' -- a dry run is in no prompt
      order by f.reel collate "C", f.seq limit bounds[2];
  end if;
  if 'waiting' = any(asides) then
    return query
      select 'waiting', id, jsonb_build_object('id', id, 'kind', kind, 'from', caller, 'thread', root,
          'at', (extract(epoch from at) * 1000)::bigint)::text, count(*) over (), null::bytea, null::bigint
      from inbox where being = whose and closed_by is null and id <> coalesce(its_wake, '')
      order by priority, age limit bounds[3];
  end if;
  if 'threads' = any(asides) then
    return query
      select 'thread', root, jsonb_build_object('thread', root, 'open', count(distinct id), 'with',
          coalesce(jsonb_agg(distinct name) filter (where name <> whose), '[]'))::text, count(*) over (), null::bytea, null::bigint
      from inbox, lateral (values (being), (caller)) as party(name)
      where closed_by is null and (being = whose or caller = whose)
      group by root order by max(age) desc limit bounds[4];
  end if;
end $$;

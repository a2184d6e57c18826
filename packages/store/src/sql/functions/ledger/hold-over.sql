-- A legal hold under which a fact or a moment is, as `"NAME" on ADDRESS`; null where there is none. A hold is
-- on the row of its reel, on all of the reality, or on somebody whom it concerns.
-- @param its_seq of the fact; null: the moment is meant
create or replace function treeos.hold_over(its_reel text, its_seq bigint, its_moment text) returns text language plpgsql stable as $$
declare
  whom text[] := concerned_by(its_moment);
  f record;
begin
  if its_seq is not null then
    select header, kind, moment, bytes into f from fact where reel = its_reel and seq = its_seq;
    whom := concerned_by(f.moment) || array[told(f.header)->>'actor', told(f.header)->>'driver'];
    if f.kind = 'being:summoned' then
      whom := whom || (told(f.bytes)->>'to');
    end if;
  end if;
  return (select to_json(name)::text || ' on ' || case when key like 'being:%' then '@' || substr(key, 7)
      when key like 'space:%' then substr(key, 7) else key end
    from projection p, jsonb_object_keys(case when position('"holds":{' in p.state) > 0
      then told(convert_to(p.state, 'UTF8'))->'holds' end) name
    where p.key = its_reel or p.key = 'space:/' or p.key = any(select 'being:' || w from unnest(whom) w)
    order by key collate "C", name collate "C" limit 1);
end $$;

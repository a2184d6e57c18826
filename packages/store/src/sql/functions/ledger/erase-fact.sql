-- Takes the payload of a fact away, and its copies.
create or replace function treeos.erase_fact(its_reel text, its_seq bigint, its_hash bytea) returns void language plpgsql as $$
declare
  hold text := hold_over(its_reel, its_seq, null);
  gone record;
  shown text[];
begin
  select f.kind, json_of(f.bytes)->>'root' root, json_of(f.bytes)->>'to' heard into gone
    from fact f
    where f.reel = its_reel and f.seq = its_seq and f.hash = its_hash and f.bytes is not null;
  if not found then
    raise exception 'fact %#% has no payload to erase', its_reel, its_seq using errcode = '22023';
  end if;
  if gone.kind in ('fact:erased', 'moment:erased', 'being:born', 'being:bore', 'being:moved', 'space:created', 'space:opened',
    'space:entered', 'space:left', 'place:received', 'place:gave', 'role:set', 'role:deleted', 'registry:installed',
    'registry:used', 'reality:made', 'reality:restored', 'hold:set', 'hold:lifted')
  then
    raise exception 'fact %#% lasts: it is a %', its_reel, its_seq, gone.kind using errcode = '22023';
  end if;
  if hold is not null then
    raise exception 'fact %#% is under the hold %', its_reel, its_seq, hold using errcode = '22023';
  end if;
  -- Faces of finished moments that showed it. What somebody said is shown in its thread, and to who said and
  -- heard it when they look back; another fact, wherever its reel was read. A moment that is under way may
  -- have an equal face, and needs it until it ends: close_moment looks at it then.
  if gone.kind = 'being:summoned' then
    shown := array(
      select o.face from inbox i join moment_outcome m on m.wake = i.id join moment_open o on o.moment = m.moment
      where i.root = gone.root and position(convert_to(encode(its_hash, 'hex'), 'UTF8') in o.record || o.basis) > 0
      union select o.face from moment_open o join moment_outcome m on m.moment = o.moment
      where m.being in (gone.heard, substr(its_reel, length('being:') + 1))
        and position(convert_to(encode(its_hash, 'hex'), 'UTF8') in o.basis) > 0);
  else
    shown := array(
      select o.face from moment_open o cross join lateral (select json_of(o.basis)->'heads' as heads offset 0) as read
      where jsonb_typeof(read.heads) = 'object' and (read.heads->>its_reel)::bigint >= its_seq);
  end if;
  delete from blob where digest = any(shown) and digest <> all(array(
    select o.face from inbox i join moment_open o on o.moment = i.claimed_by
    where i.claimed_by is not null and i.closed_by is null and o.face is not null));
  update inbox set erased_since = true
    where closed_by is null and erased_since is null
      and (gone.kind <> 'being:summoned' or root = gone.root or being in (gone.heard, substr(its_reel, length('being:') + 1)));
  -- A being that goes on by itself takes along what woke it.
  update inbox set content = 'null', salt = null
    where cause = its_hash
      or (root = gone.root and kind = 'event' and (id like 'look/%' or id like 'continue/%' or id like 'refused/%' or id like 'read/%'));
  update delayed set content = 'null' where cause = its_hash;
  update held_change set change = jsonb_set(change, '{event,content}', '"null"') - 'values'
    where change#>>'{event,cause}' = encode(its_hash, 'hex');
  -- Its key goes with a sealed text, so that it is gone from backups, too.
  delete from sealed_text s using fact f
    where f.reel = its_reel and f.seq = its_seq and its_reel = 'matter:' || s.id
      and position(convert_to('sealed:' || s.id, 'UTF8') in f.bytes) > 0;
  delete from file s using fact f
    where f.reel = its_reel and f.seq = its_seq and its_reel = 'matter:' || s.id and position(convert_to(s.digest, 'UTF8') in f.bytes) > 0;
  update fact set salt = null, bytes = null where reel = its_reel and seq = its_seq;
end $$;

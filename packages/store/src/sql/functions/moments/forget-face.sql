-- Deletes the face of a moment that ends where it shows what was erased while it was under way. Another
-- moment that is under way may need it.
create or replace function treeos.forget_face(its_moment text) returns void language sql volatile as $$
  delete from blob b using moment_open o cross join lateral (select json_of(o.basis)->'heads' as heads) as read
    where o.moment = its_moment and b.digest = o.face
      and exists (
        select from fact t
          cross join lateral (select told(t.bytes) as said) as tombstone
          join fact f on f.reel = t.reel and encode(f.hash, 'hex') = tombstone.said->>'hash'
          where t.kind = 'fact:erased' and case
            when f.kind = 'being:summoned' then position(convert_to(encode(f.hash, 'hex'), 'UTF8') in o.record || o.basis) > 0
            when jsonb_typeof(read.heads->t.reel) = 'number' then (read.heads->t.reel)::numeric between f.seq and t.seq - 1
          end)
      and not exists (
        select from inbox i join moment_open other on other.moment = i.claimed_by
          where i.claimed_by is not null and i.closed_by is null and other.moment <> its_moment and other.face = o.face)
$$;

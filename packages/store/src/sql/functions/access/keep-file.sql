-- Keeps the bytes of a file for the one thing that may hold them, which has the same id, until its giver makes
-- that thing. Kept again they change nothing. Returns `kept`, or why not: `taken` where the id has other bytes,
-- another giver or a thing that was made before, so that what was erased does not come back; `full` where the
-- giver would have more than `most` bytes of files in all, whatever a login says at most 64 GiB; `unmade` where it
-- has 100 files of which no thing was made.
create or replace function treeos.keep_file(its_id text, giver text, its_type text, its_bytes bytea, most bigint) returns text
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  its_digest text := encode(sha256(its_bytes), 'hex');
begin
  if (its_id ~ '^file-[0-9a-f]{32}$' and octet_length(its_bytes) between 1 and 33554432 and octet_length(its_type) <= 127) is not true
    or not exists (select from projection where key = 'being:' || giver)
  then
    raise exception 'refused: a file has an id, a giver, a media type, and 1 to 33554432 bytes' using errcode = '42501';
  end if;
  if exists (select from file where id = its_id and being = giver and digest = its_digest and media_type = its_type) then
    return 'kept';
  end if;
  if exists (select from head where reel = 'matter:' || its_id and seq > 0) then
    return 'taken';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('files of ' || giver, 0)); -- or two at once would go beyond the bound
  delete from file f where f.being = giver and f.at < clock_timestamp() - interval '1 hour'
    and not exists (select from projection where key = 'matter:' || f.id);
  if (select count(*) >= 100 from file f where f.being = giver and not exists (select from projection where key = 'matter:' || f.id)) then
    return 'unmade';
  end if;
  if (select coalesce(sum(size), 0) + octet_length(its_bytes) > least(most, 68719476736) from file where being = giver) then
    return 'full';
  end if;
  insert into file (id, being, digest, media_type, size, bytes)
    values (its_id, giver, its_digest, its_type, octet_length(its_bytes), its_bytes)
    on conflict (id) do nothing;
  return case when found then 'kept' else 'taken' end;
end $$;

-- Stores the open record of a moment and its face, unless the moment has one. Returns whether it was stored
-- now. For a moment whose mind thinks long; what a short one opened comes with its outcome, by append, which
-- checks the same. A worker that paused past the end of its life would otherwise leave an open moment that
-- nothing could ever close.
create or replace function treeos.open_moment(its_moment text, its_being text, its_n integer, its_wake text, its_opened_at bigint,
  its_record bytea, its_basis bytea, its_face text, face_bytes bytea) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  w inbox;
  its_generation integer := split_part(its_moment, '/', 2)::integer;
  last_n bigint;
begin
  select seq into last_n from head where reel = 'moments:' || its_being for share;
  if exists (select from moment_open where moment = its_moment) then
    return false; -- a rerun: the first write stands
  end if;
  if current_generation(its_being) is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, its_being, current_generation(its_being)
      using errcode = 'TR003';
  end if;
  if its_n is distinct from last_n + 1 or split_part(its_moment, '/', 1) is distinct from its_being then
    raise exception 'moment % does not follow moment number % of %', its_moment, last_n, its_being using errcode = 'TR002';
  end if;
  if not is_owned() then
    select * into w from inbox where id = its_wake;
    if is_claimable(w, its_being, its_moment) is not true then
      raise exception 'refused: moment % is opened for a wake that it has not claimed', its_moment using errcode = '42501';
    end if;
  end if;
  if its_face is not null then
    insert into blob (digest, bytes) values (its_face, face_bytes) on conflict do nothing;
  end if;
  insert into moment_open (moment, being, n, wake, opened_at, record, basis, face, early)
    values (its_moment, its_being, its_n, its_wake, its_opened_at, its_record, its_basis, its_face, true)
    on conflict (moment) do nothing; -- two runs of it may come here at once
  return found;
end $$;

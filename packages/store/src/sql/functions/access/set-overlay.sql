-- Stores an overlay, in place of the one with its name. Returns `set`, or why not: `unstored` for the tiers
-- that are never stored, `forbidden`, `too-long`, `too-many`. It raises no error, since Postgres logs those
-- with the statement.
create or replace function treeos.set_overlay(its_tier text, its_scope text, its_name text, its_content text, its_applies text[], setter text)
returns text
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (its_tier in ('channel', 'workspace', 'account')) is not true then
    return 'unstored';
  end if;
  if not may_set_overlay(its_tier, its_scope, setter) then
    return 'forbidden';
  end if;
  if (octet_length(its_content) between 1 and 8192 and octet_length(its_name) between 1 and 256
      and coalesce(array_length(its_applies, 1), 1) <= 16) is not true then
    return 'too-long';
  end if;
  if (select count(*) from overlay where tier = its_tier and scope = its_scope and name <> its_name) >= 32 then
    return 'too-many';
  end if;
  insert into overlay (tier, scope, name, content, applies, set_by, set_at)
    values (its_tier, its_scope, its_name, its_content, its_applies, setter, clock_timestamp())
    on conflict (tier, scope, name) do update
      set content = excluded.content, applies = excluded.applies, set_by = excluded.set_by, set_at = excluded.set_at;
  return 'set';
end $$;

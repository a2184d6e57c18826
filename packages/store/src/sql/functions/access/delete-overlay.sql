-- Deletes a stored overlay. Returns `deleted`, or why not: `unstored`, `forbidden`, `missing`.
create or replace function treeos.delete_overlay(its_tier text, its_scope text, its_name text, setter text) returns text
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (its_tier in ('channel', 'workspace', 'account')) is not true then
    return 'unstored';
  end if;
  if not may_set_overlay(its_tier, its_scope, setter) then
    return 'forbidden';
  end if;
  delete from overlay where tier = its_tier and scope = its_scope and name = its_name;
  return case when found then 'deleted' else 'missing' end;
end $$;

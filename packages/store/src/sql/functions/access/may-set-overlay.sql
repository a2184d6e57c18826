-- Whether a person may write and read the stored overlays of a scope: of the reality the operator, of an
-- account the person itself, of a channel the being that first said something in it, and the operator.
create or replace function treeos.may_set_overlay(its_tier text, its_scope text, setter text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select coalesce((
    select case its_tier
        when 'workspace' then its_scope = 'reality' and parent is null
        when 'account' then its_scope = setter
        when 'channel' then parent is null or setter = (
          select caller from inbox where channel = its_scope and caller is not null order by age limit 1)
      end
      from projection where key = 'being:' || setter and cognition = 'human'), false)
$$;

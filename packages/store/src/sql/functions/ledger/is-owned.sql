-- Whether the login of this session owns the tables, itself or by a role. It may write anything by plain
-- statements, so append takes any batch of it: that of genesis, of a fork, and of `treeos up`. To be called
-- where the owner's rights are in force.
create or replace function treeos.is_owned() returns boolean language sql stable as $$
  select pg_has_role(session_user, current_user, 'MEMBER')
$$;

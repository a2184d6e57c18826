-- Whether the amounts by which an act is counted are arguments of the call that its moment decided, and
-- numbers from 0 on. It stays, since counts bound later acts as budgets do, and what passed a wrong count
-- cannot be taken back.
create or replace function treeos.are_own_amounts(amounts jsonb, its_moment text) returns boolean language sql stable as $$
  select jsonb_typeof(amounts) = 'object' and not exists (
    select from jsonb_each(amounts) a, (select told(bytes)->'call' call from moment_decision where moment = its_moment) d
    where (jsonb_typeof(a.value) = 'number' and a.value >= '0'
      and a.value = d.call->'args'->a.key) is not true)
$$;

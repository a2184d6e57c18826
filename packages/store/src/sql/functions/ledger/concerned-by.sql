-- Whom a moment concerns: who lived it, who drove that being, who woke it, and who began its thread.
create or replace function treeos.concerned_by(its_moment text) returns text[] language sql stable as $$
  select array_remove(array[o.being, told(o.record)->>'driver', told(o.record)#>>'{caller,name}',
      (select first.caller from inbox i join inbox first on first.id = i.root where i.id = o.wake)], null)
    from moment_open o where o.moment = its_moment
$$;

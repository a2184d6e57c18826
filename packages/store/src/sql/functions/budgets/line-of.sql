-- A being and its makers, nearest first, up to 64 hops. A loop, since a recursive query takes ten times as
-- long to start.
create or replace function treeos.line_of(whose text) returns text[] language plpgsql stable as $$
declare
  line text[] := array[whose];
  maker text := whose;
begin
  for hops in 1 .. 64 loop
    maker := (select p.parent from treeos.projection p where p.key = 'being:' || maker);
    exit when maker is null;
    line := line || maker;
  end loop;
  return line;
end $$;

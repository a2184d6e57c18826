-- The budget of a being of this cognition that has none of its own: {momentsPerMinute, births, tokens, money,
-- tokensPerPerson, per, revision}. The root space says it, in its quality budget.<cognition>; else this
-- function. A limit that is absent adds no bound. STANDARD_BUDGETS in packages/world says the same to
-- TypeScript.
create or replace function treeos.standard(of_cognition text) returns jsonb
language plpgsql stable as $$
begin
  return coalesce((select state::jsonb #> array['qualities', 'budget', of_cognition] from treeos.projection
      where key = 'space:/' and position('"budget"' in state) > 0), -- few root spaces say it, and their text shows it
    case of_cognition
      when 'llm' then '{"momentsPerMinute": 30, "births": 32, "tokens": 1000000, "tokensPerPerson": 20000000, "per": "day", "revision": 0}'
      when 'scripted' then '{"momentsPerMinute": 600, "births": 32, "per": "day", "revision": 0}'
      else '{"per": "day", "revision": 0}'
    end::jsonb);
end $$;

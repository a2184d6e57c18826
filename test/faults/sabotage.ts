/** Takes a defence away in one trial's database, so that a control can show what it defends against. */
import type { ChainDb } from '@treeos/chain'
import { type Kysely, sql } from 'kysely'

export type Sabotage = 'unkeyed-append' | 'unheld-append' | 'blind-sweep' | 'kept-claims' | 'lost-results'

export async function sabotage(owner: Kysely<ChainDb>, what: Sabotage): Promise<void> {
  switch (what) {
    case 'unkeyed-append':
      return unkey(owner)
    case 'unheld-append':
      return unhold(owner)
    case 'blind-sweep':
      return blind(owner)
    case 'kept-claims':
      return keepClaims(owner)
    case 'lost-results':
      return loseResults(owner)
  }
}

/** Append without the moment's key: a repeated call writes again. */
async function unkey(owner: Kysely<ChainDb>): Promise<void> {
  const keyed = 'if exists (select from moment_outcome where moment = this_moment) then'
  const closes = "if jsonb_typeof(batch->'outcome') = 'object'"
  const unclosed = "not exists (select from moment_outcome where moment = batch->>'moment')"
  await rewrite(owner, 'hold', [[keyed, 'if false then']])
  await rewrite(owner, 'append', [[`${closes} then`, `${closes} and ${unclosed} then`]])
}

/** Append although a head that the decision read has moved. */
const unhold = (owner: Kysely<ChainDb>) =>
  rewrite(owner, 'hold', [['if moved is not null then', 'if false then']])

/** A life that ends midway keeps the wake it had claimed. */
const keepClaims = (owner: Kysely<ChainDb>) =>
  rewrite(owner, 'close_moment', [
    ['update inbox set claimed_by = null where claimed_by = this_moment and closed_by is null;', 'null;'],
  ])

/** Dates rows into the future, so the sweep rings no being. A wake whose doorbell was lost stays unread. */
async function blind(owner: Kysely<ChainDb>): Promise<void> {
  await sql`
    create function treeos.always_young() returns trigger language plpgsql as $$
    begin
      new.at := new.at + interval '1 year';
      return new;
    end $$`.execute(owner)
  await sql`
    create trigger inbox_always_young before insert on treeos.inbox
    for each row execute function treeos.always_young()`.execute(owner)
}

/** Fails to store every other result of an effect, though nothing dies. */
async function loseResults(owner: Kysely<ChainDb>): Promise<void> {
  await sql`create sequence treeos.results_met`.execute(owner) // counts what is rolled back, too
  await sql`
    create function treeos.lose_result() returns trigger language plpgsql security definer as $$
    begin
      if nextval('treeos.results_met') % 2 = 1 then
        raise exception 'lost';
      end if;
      return new;
    end $$`.execute(owner)
  await sql`
    create trigger moment_effect_lost before update on treeos.moment_effect
    for each row execute function treeos.lose_result()`.execute(owner)
}

/** Replaces text in a function. @throws {Error} when the text is not there once, since the control would then show nothing */
async function rewrite(
  owner: Kysely<ChainDb>,
  name: string,
  changes: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'treeos' and p.proname = ${name}`.execute(owner)
  let definition = rows[0]?.definition ?? ''
  for (const [from, to] of changes) {
    if (definition.split(from).length !== 2) throw new Error(`treeos.${name} does not say once: ${from}`)
    definition = definition.replace(from, () => to)
  }
  await sql.raw(definition).execute(owner)
}

import type { BeingName, Json, RoleName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { offspringOf } from './offspring.ts'

/** Rows of living beings, without reading one of another kind. */
const living = sql`p.key collate "C" >= 'being:' and p.key collate "C" < 'being;' and p.cognition is distinct from 'ended'`

/**
 * The default role of a row, as JSON. A row is canonical JSON, so its keys are sorted: what stands before
 * this one has no such key, and within a text the quotes would be escaped. To read each row as JSON takes ten
 * times as long.
 */
const defaultRole = sql`split_part(split_part(p.state, '"defaultRole":', 2), ',', 1)`
const hasFlow = sql`strpos(p.state, '"roleFlow":[{') > 0`

/** The roles that the flow of a row names. */
const namedInFlow = sql`
  select clause->>'role' as role from jsonb_path_query(treeos.told(convert_to(p.state, 'UTF8')), 'lax $.qualities.roleFlow[*]') as clause`

interface WithFlow {
  readonly qualities: { readonly roleFlow: readonly { readonly role?: unknown }[] }
}

/**
 * How many living beings name each role in their flow or as their default. Only rows with a flow are read
 * whole.
 */
export async function countNamedRoles(db: Db): Promise<ReadonlyMap<RoleName, number>> {
  const { rows } = await sql<{ role: string; state: string | null; count: number }>`
    select b.role, b.state, count(*) from (
      select ${defaultRole} as role, case when ${hasFlow} then p.state end as state
      from treeos.projection p where ${living}
    ) b group by b.role, b.state`.execute(db)
  const counts = new Map<RoleName, number>()
  const add = (role: unknown, more: number) => {
    if (typeof role === 'string') counts.set(role, (counts.get(role) ?? 0) + more)
  }
  for (const { role, state, count } of rows) {
    const flow = state === null ? [] : decodeJson<WithFlow>(state).qualities.roleFlow
    for (const named of new Set([JSON.parse(role), ...flow.map((clause) => clause.role)])) add(named, count)
  }
  return counts
}

/** Which beings to look among: those that a being made, at any distance, and itself; null: all. */
interface NameSearch {
  readonly among: BeingName | null
  readonly limit: number
}

/** States of living beings that name a role, sorted by name. */
export async function listBeingsNaming(
  db: Db,
  role: RoleName,
  { among, limit }: NameSearch,
): Promise<{ readonly states: readonly Json[]; readonly count: number }> {
  const { rows } = await sql<{ state: string; count: number }>`
    with recursive ${offspringOf(among)}
    select p.state, count(*) over () as count from treeos.projection p
    where ${living} and (${among}::text is null or substr(p.key, 7) in (select being from offspring))
      and (${defaultRole} = ${JSON.stringify(role)}
        or ${hasFlow} and strpos(p.state, '"role":' || ${JSON.stringify(role)}) > 0
          and exists (select from (${namedInFlow}) n where n.role = ${role}))
    order by p.key collate "C" limit ${limit}`.execute(db)
  return { states: rows.map(({ state }) => decodeJson<Json>(state)), count: rows[0]?.count ?? 0 }
}

/** Stances of all living beings and paths of all spaces, as their keys name them, sorted. */
export async function listAddresses(db: Db): Promise<{ beings: BeingName[]; spaces: string[] }> {
  const { rows } = await sql<{ key: string }>`
    select p.key from treeos.projection p
    where (${living}) or (p.key collate "C" >= 'space:' and p.key collate "C" < 'space;')
    order by p.key collate "C"`.execute(db)
  const ofKind = (kind: string) =>
    rows.flatMap(({ key }) => (key.startsWith(kind) ? [key.slice(kind.length)] : []))
  return { beings: ofKind('being:'), spaces: ofKind('space:') }
}

/** Which addresses to look for. */
interface AddressSearch {
  /** what they hold, in letters of any case; the empty text is in all of them */
  readonly text: string
  readonly of: 'beings' | 'all'
  readonly limit: number
}

/**
 * Stances of living beings and paths of spaces that hold a text: where it comes earlier first, then in the
 * order of letters.
 */
export async function findAddresses(db: Db, { text, of, limit }: AddressSearch): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select a.address from (
      select case when p.key collate "C" < 'being;' then '@' else '' end || substr(p.key, 7) as address
      from treeos.projection p
      where (${living}) or ${of === 'all'} and p.key collate "C" >= 'space:' and p.key collate "C" < 'space;'
    ) a
    cross join lateral (select strpos(lower(a.address), lower(${text}::text)) as place) found
    where found.place > 0
    order by found.place, a.address collate "C" limit ${limit}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * Names of living beings that may be meant by a text: of about its length, those that begin as it does first.
 */
export async function listNamesLike(db: Db, text: string, limit: number): Promise<BeingName[]> {
  const { rows } = await sql<{ name: BeingName }>`
    select n.name from (select substr(p.key, 7) as name from treeos.projection p where ${living}) n
    where abs(length(n.name) - length(${text}::text)) <= greatest(length(n.name), length(${text}::text)) / 3
    order by left(n.name, 1) = lower(left(${text}::text, 1)) desc, left(n.name, 3) = lower(left(${text}::text, 3)) desc, n.name collate "C"
    limit ${limit}`.execute(db)
  return rows.map(({ name }) => name)
}

/** States of beings that have a budget of their own, or an account, sorted by name. */
export async function listBudgeted(db: Db): Promise<Json[]> {
  const { rows } = await sql<{ state: string }>`
    select p.state from treeos.projection p
    where p.key collate "C" >= 'being:' and p.key collate "C" < 'being;'
      and (exists (select from treeos.account a where a.being = substr(p.key, 7)) or strpos(p.state, '"budget":{') > 0)
    order by p.key collate "C"`.execute(db)
  return rows.map(({ state }) => decodeJson<Json>(state))
}

/**
 * States of living and ended beings that hold a text, sorted by name.
 * @param text as their JSON has it, without spaces
 */
export async function listBeingsHolding(db: Db, text: string, limit: number): Promise<Json[]> {
  const { rows } = await sql<{ state: string }>`
    select p.state from treeos.projection p
    where p.key collate "C" >= 'being:' and p.key collate "C" < 'being;' and strpos(p.state, ${text}) > 0
    order by p.key collate "C" limit ${limit}`.execute(db)
  return rows.map(({ state }) => decodeJson<Json>(state))
}

/** How many beings each being has made. */
export async function countChildren(db: Db): Promise<ReadonlyMap<BeingName, number>> {
  const { rows } = await sql<{ parent: string; count: number }>`
    select parent, count(*) from treeos.projection where parent is not null group by parent`.execute(db)
  return new Map(rows.map(({ parent, count }) => [parent, count]))
}

import type { BeingName, JsonObject, SpacePath } from '@treeos/core'
import { listRowsOf, readSpec } from '@treeos/reality'
import type { RoleSpec } from '@treeos/roles'
import { inSnapshot, type StoreDb } from '@treeos/store'
import { type BeingRow, type CanLists, isMarked, type Row, type SpaceRow, type WorldRow } from '@treeos/world'
import type { Kysely } from 'kysely'
import { meetOf } from './ceilings.ts'

/** The rows of a world that a file is about, at one instant. */
export interface WorldRows {
  readonly beings: ReadonlyMap<BeingName, BeingRow>
  readonly spaces: ReadonlyMap<SpacePath, SpaceRow>
  readonly signals: ReadonlyMap<string, WorldRow>
  /** the roles that beings wrote */
  readonly roles: ReadonlyMap<string, RoleSpec>
  /** paths in a file of what holds words from outside */
  readonly outside: ReadonlySet<string>
}

const LIVE = 'live'

export function readWorldRows(db: Kysely<StoreDb>): Promise<WorldRows> {
  return inSnapshot(db, async (tx) => {
    const roles = new Map<string, RoleSpec>()
    const outside = new Set<string>()
    const mark = (path: string, row: Row) => {
      if (isMarked(row)) outside.add(path)
    }
    for (const { row } of await listRowsOf(tx, 'role:')) {
      if (row.deleted || row.origin !== LIVE) continue
      const spec = await readSpec(tx, row.digest)
      if (spec === null) throw new Error(`the spec ${row.digest} of role ${row.name} is not stored`)
      roles.set(row.name, spec)
      mark(`roles.${row.name}`, row)
    }
    const by = <R extends Row>(
      part: 'beings' | 'spaces' | 'signals',
      rows: readonly { readonly row: R }[],
      name: (row: R) => string,
    ) => {
      for (const { row } of rows) mark(`${part}.${name(row)}`, row)
      return new Map(rows.map(({ row }) => [name(row), row]))
    }
    return {
      beings: by('beings', await listRowsOf(tx, 'being:'), ({ name }) => name),
      spaces: by('spaces', await listRowsOf(tx, 'space:'), ({ path }) => path),
      signals: by('signals', await listRowsOf(tx, 'world:'), ({ namespace }) => namespace),
      roles,
      outside,
    }
  })
}

/** The being and its makers, the nearest first. */
function lineageOf({ beings }: Pick<WorldRows, 'beings'>, being: BeingRow): BeingRow[] {
  const lineage = [being]
  for (let next = being.parent; next !== null; ) {
    const maker = beings.get(next)
    if (maker === undefined) break
    lineage.push(maker)
    next = maker.parent
  }
  return lineage
}

/** What the ceilings of a being and of all its makers allow together; null where none of them has one. */
export const ceilingOf = (rows: Pick<WorldRows, 'beings'>, being: BeingRow): CanLists | null =>
  lineageOf(rows, being).reduce<CanLists | null>((met, { ceiling }) => meetOf(met, ceiling, being.home), null)

const COUNTED = ['momentsPerMinute', 'selfContinues', 'hops', 'births'] as const
const SPENT = ['tokens', 'money'] as const

/**
 * The limits of a being, narrowed by those of its makers: they stay behind, so what they bound has to come
 * along.
 */
export function budgetOf(rows: Pick<WorldRows, 'beings'>, being: BeingRow): JsonObject | null {
  const lineage = lineageOf(rows, being).flatMap(({ budget }) => budget ?? [])
  if (lineage.length === 0) return null
  const per = lineage.find(({ tokens, money }) => tokens !== undefined || money !== undefined)?.per ?? 'total'
  const least = (limit: (typeof COUNTED)[number] | (typeof SPENT)[number], of: typeof lineage) => {
    const all = of.flatMap((budget) => budget[limit] ?? [])
    return all.length === 0 ? {} : { [limit]: Math.min(...all) }
  }
  const spent = lineage.filter((budget) => budget.per === per)
  const limits = Object.assign(
    {},
    ...COUNTED.map((limit) => least(limit, lineage)),
    ...SPENT.map((limit) => least(limit, spent)),
  ) as JsonObject
  return Object.keys(limits).length === 0 ? null : { ...limits, per }
}

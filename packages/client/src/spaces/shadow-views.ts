import {
  type BeingName,
  type Json,
  parseSpacePath,
  parseStance,
  type SpacePath,
  TreeosError,
} from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { listShadowed, listWornInShadow, readRows } from '@treeos/store'
import { beingKey, type ShadowVerdict, spaceKey } from '@treeos/world'

/** Moments that one reading looks at, the newest ones. */
const MOMENTS_MAX = 10_000
const EXAMPLES_MAX = 3

/** What one dry-run rule would have said otherwise, so far. */
export interface SaidInShadow extends Pick<ShadowVerdict, 'by' | 'was' | 'would'> {
  readonly times: number
  /** the newest of them */
  readonly examples: readonly {
    readonly moment: string
    /** ISO 8601, UTC */
    readonly at: string
    readonly verb: string
    readonly key: string
    readonly on: string
  }[]
}

/** Roles that the flow in the shadow of a being would have given, so far. */
interface WornInShadow {
  readonly was: readonly string[]
  /** empty: it would have given none, so the moment would have been skipped */
  readonly would: readonly string[]
  readonly times: number
  /** numbers of the newest moments */
  readonly examples: readonly number[]
}

export interface ShadowView {
  /** the dry-run rules of a space, by verb and key, or the clauses of a being; null for none */
  readonly tried: Json
  readonly said: readonly SaidInShadow[]
  /** of a being */
  readonly worn: readonly WornInShadow[]
}

/**
 * The dry-run rules of a space, and what it would have said otherwise so far; or the dry-run flow of a being,
 * the roles that it would have given, and what rules anywhere would have said otherwise of its calls. It
 * looks at the newest moments, those that said something first.
 * @param place path of a space, or the stance of a being
 * @throws {TreeosError} SPACE_NOT_FOUND, BEING_NOT_FOUND
 */
export async function shadowed(at: Pick<Presence, 'db' | 'reality'>, place: string): Promise<ShadowView> {
  const being = place.includes('@') ? parseStance(place) : null
  const path = being === null ? parseSpacePath(place) : null
  const tried = await dryRunIn(at, being, path)
  const found = new Map<string, SaidInShadow>()
  for (const { moment, record, sealedAt } of await listShadowed(at.db, being, MOMENTS_MAX))
    for (const { by, was, would, verb, key, on } of (record.shadow ?? []) as unknown as ShadowVerdict[]) {
      if (path !== null && !by.startsWith(`${path} shadow.`)) continue
      const id = [by, was, would].join('\n')
      const { times, examples } = found.get(id) ?? { times: 0, examples: [] }
      const example = { moment, at: new Date(sealedAt).toISOString(), verb, key, on }
      const shown = times < EXAMPLES_MAX ? [...examples, example] : examples
      found.set(id, { by, was, would, times: times + 1, examples: shown })
    }
  const worn = being === null ? [] : await wornBy(at, being)
  return { tried, said: [...found.values()].sort((a, b) => b.times - a.times), worn }
}

async function wornBy({ db }: Pick<Presence, 'db'>, being: BeingName): Promise<WornInShadow[]> {
  const found = new Map<string, WornInShadow>()
  for (const { n, roles, worn } of await listWornInShadow(db, being, MOMENTS_MAX)) {
    const [was, would] = [worn as string[], roles as string[]]
    const id = [was.join(' '), would.join(' ')].join('\n')
    const { times, examples } = found.get(id) ?? { times: 0, examples: [] }
    const shown = times < EXAMPLES_MAX ? [...examples, n] : examples
    found.set(id, { was, would, times: times + 1, examples: shown })
  }
  return [...found.values()].sort((a, b) => b.times - a.times)
}

async function dryRunIn(
  { db, reality }: Pick<Presence, 'db' | 'reality'>,
  being: BeingName | null,
  path: SpacePath | null,
): Promise<Json> {
  const key = path === null ? beingKey(being ?? '') : spaceKey(path)
  const [row] = await readRows(db, reality.id, [key])
  const state = row?.state as { qualities?: { shadow?: Json } } | null | undefined
  if (state == null)
    throw new TreeosError(
      path === null ? 'BEING_NOT_FOUND' : 'SPACE_NOT_FOUND',
      path === null ? `no being @${being} lives in this reality` : `space ${path} does not exist`,
    )
  return state.qualities?.shadow ?? null
}

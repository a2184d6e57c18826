import {
  beingReel,
  canonicalJson,
  type FactDraft,
  isKey,
  type Json,
  type JsonObject,
  matterReel,
  quote,
  type ReelId,
  requireStorable,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { evolve } from '../rows/evolve.ts'
import { MATTERS_MAX } from '../rows/file-facts.ts'
import { requireQualitySize, setAtPath } from '../rows/qualities.ts'
import { type BeingRow, type MatterRow, type Row, withKind } from '../rows/rows.ts'
import type { DecidedOperation } from './extension.ts'
import type { Registry } from './registry.ts'
import { SUBSTRATE_REGISTRY } from './substrate.ts'

/**
 * Checks what an operation of an extension writes. It may write facts of its own kinds, which change no row,
 * qualities in the namespace with the extension's name, and the signals that its manifest names. Only the
 * substrate writes anything else.
 * @throws {TreeosError} EXTENSION_BLOCKED naming the operation and what it tried to write; PAYLOAD_TOO_LARGE;
 *   INTERNAL for values that are not JSON
 */
export async function requireDeclared(
  { name, origin }: { readonly name: string; readonly origin: string },
  { facts, result, reply = null }: DecidedOperation,
  { reader: world, registry, actor, carried }: DeclaredWrite,
): Promise<void> {
  if (origin === SUBSTRATE_REGISTRY) return
  for (const value of [result, reply, ...facts.map(({ reel, kind, payload }) => [reel, kind, payload])])
    requireJson(`what ${name} of extension ${origin} decided`, value)
  for (const fact of facts) {
    const isThing = await isOwnMatter(fact, facts, { origin, world, registry, actor })
    const beyond = isThing ? null : reachBeyond(origin, registry.signals.get(origin) ?? [], fact)
    if (beyond !== null)
      throw new TreeosError('EXTENSION_BLOCKED', `${name} of extension ${origin} may not write ${beyond}`)
    await requireRoomForMatter(fact, world, carried)
  }
}

interface DeclaredWrite {
  readonly reader: WorldReader
  readonly registry: Pick<Registry, 'signals' | 'known'>
  readonly actor: BeingRow
  /** facts of operations that it carried out */
  readonly carried: readonly FactDraft[]
}

/**
 * An operation may make things of its extension's own types, which the actor owns and holds, and write those
 * that it holds. A thing comes with the fact of its arrival on the reel of its holder.
 * @throws {TreeosError} RESOURCE_CONFLICT, RATE_LIMITED
 */
async function isOwnMatter(
  { kind, reel, payload }: FactDraft,
  facts: readonly FactDraft[],
  {
    origin,
    world,
    registry,
    actor,
  }: { origin: string; world: WorldReader; registry: DeclaredWrite['registry']; actor: BeingRow },
): Promise<boolean> {
  const holder = stanceOf(actor.name)
  const isOwnType = (type: Json | undefined) =>
    typeof type === 'string' &&
    type.startsWith(`${origin}:`) &&
    Object.hasOwn(registry.known.matterTypes, type)
  const arrivals = facts.filter((fact) => fact.kind === 'place:received')
  const made = facts.filter((fact) => fact.kind === 'matter:created')
  if (kind === 'place:received')
    return reel === beingReel(actor.name) && made.some(({ payload: { id } }) => id === payload.matter)
  if (kind === 'matter:written') {
    if (made.some((fact) => fact.reel === reel)) return true // what it makes in this act is judged by itself
    const row = reel.startsWith('matter:') ? ((await world.row(reel)) as MatterRow | null) : null
    return row !== null && isOwnType(row.type) && row.owner === actor.name && row.place === holder
  }
  if (kind !== 'matter:created') return false
  const { id, type, owner, place, content = null, ...rest } = payload
  const isWhole =
    canonicalJson(rest) === '{"qualities":{}}' &&
    isKey(id) &&
    reel === matterReel(id) &&
    isOwnType(type) &&
    owner === actor.name &&
    place === holder &&
    made.filter((fact) => fact.reel === reel).length === 1 &&
    arrivals.filter((fact) => fact.payload.matter === id).length === 1
  if (!isWhole) return false
  requireStorable(content, 'content')
  if ((await world.row(reel)) !== null)
    throw new TreeosError('RESOURCE_CONFLICT', `the id ${id} is taken in this reality, for ever`)
  if ((await world.matters(holder)).length + made.length > MATTERS_MAX)
    throw new TreeosError('RATE_LIMITED', `${holder} holds ${MATTERS_MAX} things, which is the most`)
  return true
}

/**
 * A value that is not JSON would fail every attempt to write it. It is a fault of the code, not of the
 * caller.
 */
function requireJson(what: string, value: Json): void {
  try {
    requireStorable(value, what)
  } catch (error) {
    const { code, message } = error as TreeosError
    throw new TreeosError(code === 'INVALID_INPUT' ? 'INTERNAL' : code, message)
  }
}

function reachBeyond(
  origin: string,
  signals: readonly string[],
  { kind, reel, payload }: FactDraft,
): string | null {
  if (kind.startsWith(`${origin}:`)) return null
  if (kind === 'signal:published') {
    if (payload.namespace !== origin || !isPath(payload.key) || reel !== `world:${origin}`)
      return `signals of ${quote(payload.namespace)}`
    const key = payload.key.join('.')
    const isDeclared = signals.some((declared) => key === declared || key.startsWith(`${declared}.`))
    return isDeclared
      ? null
      : `the signal ${origin}.${key}: its manifest names ${signals.join(', ') || 'none'}`
  }
  if (kind !== 'quality:set') return `facts of kind ${kind}`
  const onRow = ['being:', 'space:', 'matter:'].some((kind) => reel.startsWith(kind))
  if (onRow && isPath(payload.path) && payload.path[0] === origin) return null
  return `the quality ${quote(payload.path)} on ${reel}`
}

const isPath = (path: Json | undefined): path is string[] =>
  Array.isArray(path) && path.length > 0 && path.every(isKey)

/** Holds the values of a row to their size, as the fact would leave them. */
async function requireRoomForMatter(
  { kind, reel, payload }: FactDraft,
  world: WorldReader,
  carried: readonly FactDraft[],
): Promise<void> {
  if (kind !== 'quality:set' && kind !== 'signal:published') return
  const row = await rowAfter(carried, reel, world)
  if (row === null && kind === 'quality:set')
    throw new TreeosError('INVALID_INPUT', `there is no ${reel} whose qualities could be set`)
  const [path, merge] =
    kind === 'quality:set' ? [payload.path, payload.merge !== false] : [payload.key, false]
  requireQualitySize(
    setAtPath(row === null ? {} : valuesOf(reel, row), path as string[], payload.value ?? null, merge),
    `what is set on ${reel}`,
  )
}

/** The row as the operations that were carried out leave it: it may have been made by one of them. */
async function rowAfter(
  carried: readonly FactDraft[],
  reel: ReelId,
  world: WorldReader,
): Promise<Row | null> {
  let row = await world.row(reel)
  for (const fact of carried) if (fact.reel === reel) row = evolve(row, { ...fact, actor: '', at: 0 })
  return row
}

function valuesOf(reel: ReelId, row: Row): JsonObject {
  const found = withKind(reel, row)
  if (found.kind === 'world') return found.row.values
  return 'qualities' in found.row ? found.row.qualities : {}
}

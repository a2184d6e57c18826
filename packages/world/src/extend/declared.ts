import {
  type FactDraft,
  isKey,
  type Json,
  type JsonObject,
  quote,
  type ReelId,
  requireContent,
  TreeosError,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { requireQualitySize, setQuality } from '../rows/qualities.ts'
import { type Row, withKind } from '../rows/rows.ts'
import type { Decided } from './extension.ts'
import type { Registry } from './registry.ts'
import { SUBSTRATE_REGISTRY } from './substrate.ts'

/**
 * Checks what an operation of an extension writes. It may write facts of its own kinds, which change no row, qualities in the
 * namespace with the extension's name, and the signals that its manifest names. Only the substrate writes anything else.
 * @throws {TreeosError} EXTENSION_BLOCKED naming the operation and what it tried to write; PAYLOAD_TOO_LARGE; INTERNAL for values
 *   that are not JSON
 */
export async function requireDeclared(
  { name, origin }: { readonly name: string; readonly origin: string },
  { facts, result, reply = null }: Decided,
  { reader: world, registry }: { readonly reader: WorldReader; readonly registry: Pick<Registry, 'signals'> },
): Promise<void> {
  if (origin === SUBSTRATE_REGISTRY) return
  for (const value of [result, reply, ...facts.map(({ reel, kind, payload }) => [reel, kind, payload])])
    requireJson(`what ${name} of extension ${origin} decided`, value)
  for (const fact of facts) {
    const beyond = reachBeyond(origin, registry.signals.get(origin) ?? [], fact)
    if (beyond !== null)
      throw new TreeosError('EXTENSION_BLOCKED', `${name} of extension ${origin} may not write ${beyond}`)
    await requireRoom(fact, world)
  }
}

/** A value that is not JSON would fail every attempt to write it. It is a fault of the code, not of the caller. */
function requireJson(what: string, value: Json): void {
  try {
    requireContent(value, what)
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
async function requireRoom({ kind, reel, payload }: FactDraft, world: WorldReader): Promise<void> {
  if (kind !== 'quality:set' && kind !== 'signal:published') return
  const row = await world.row(reel)
  if (row === null && kind === 'quality:set')
    throw new TreeosError('INVALID_INPUT', `there is no ${reel} whose qualities could be set`)
  const [path, merge] =
    kind === 'quality:set' ? [payload.path, payload.merge !== false] : [payload.key, false]
  requireQualitySize(
    setQuality(row === null ? {} : valuesOf(reel, row), path as string[], payload.value ?? null, merge),
    `what is set on ${reel}`,
  )
}

function valuesOf(reel: ReelId, row: Row): JsonObject {
  const found = withKind(reel, row)
  if (found.kind === 'world') return found.row.values
  return found.kind === 'role' || found.kind === 'thread' ? {} : found.row.qualities
}

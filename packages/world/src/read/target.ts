import {
  beingReel,
  matterReel,
  parseAddress,
  quote,
  type ReelId,
  ROOT_SPACE,
  spaceReel,
  stanceOf,
  type Thread,
  TreeosError,
  threadReel,
  unknownBeing,
} from '@treeos/core'
import type { BeingRow, MatterRow, SpaceRow } from '../rows/rows.ts'
import type { WorldReader } from './reader.ts'

/** What a verb is done to. */
export type OperationTarget =
  | { readonly kind: 'being'; readonly being: BeingRow }
  | { readonly kind: 'space'; readonly space: SpaceRow }
  | { readonly kind: 'matter'; readonly matter: MatterRow }
  | { readonly kind: 'thread'; readonly thread: Thread }

interface Threads {
  /** null where no thread has the id */
  readonly thread: (id: string) => Promise<Thread | null>
}

/** @throws {TreeosError} CORRELATION_NOT_FOUND */
export async function requireThread(at: Threads, id: string): Promise<Thread> {
  const thread = await at.thread(id)
  if (thread !== null) return thread
  throw new TreeosError('CORRELATION_NOT_FOUND', `no thread ${quote(id)} began in this reality`)
}

/** @throws {TreeosError} ADDRESS_PARSE_ERROR, or naming the address what is not found */
export async function resolve(
  at: Threads & { readonly reader: WorldReader; readonly me: BeingRow },
  text: string,
): Promise<OperationTarget> {
  const address = parseAddress(text)
  if (address.kind === 'thread') return { kind: 'thread', thread: await requireThread(at, address.thread) }
  if (address.kind === 'being') {
    const being = await at.reader.being(address.being)
    if (being === null) throw unknownBeing(address.being)
    return { kind: 'being', being }
  }
  if (address.kind === 'matter') {
    const matter = await at.reader.matter(address.matter)
    if (matter !== null) return { kind: 'matter', matter }
    throw new TreeosError('MATTER_NOT_FOUND', `no matter ${quote(address.matter)} is in this reality`)
  }
  const path = address.kind === 'home' ? at.me.home : address.path
  const space = await at.reader.space(path)
  if (space === null) throw new TreeosError('SPACE_NOT_FOUND', `space ${path} does not exist in this reality`)
  return { kind: 'space', space }
}

/** @throws {TreeosError} INVALID_TYPE for a thread, which has no row of its own */
export function targetRow(target: OperationTarget): BeingRow | SpaceRow | MatterRow {
  if (target.kind === 'being') return target.being
  if (target.kind === 'space') return target.space
  if (target.kind === 'matter') return target.matter
  throw new TreeosError('INVALID_TYPE', 'it takes a being, a space or a thing')
}

export function targetReel(target: OperationTarget): ReelId {
  if (target.kind === 'being') return beingReel(target.being.name)
  if (target.kind === 'space') return spaceReel(target.space.path)
  return targetName(target)
}

export const isRoot = (target: OperationTarget) => target.kind === 'space' && target.space.path === ROOT_SPACE

export function targetName(target: OperationTarget): string {
  if (target.kind === 'thread') return threadReel(target.thread.thread)
  if (target.kind === 'matter') return matterReel(target.matter.id)
  return target.kind === 'being' ? stanceOf(target.being.name) : target.space.path
}

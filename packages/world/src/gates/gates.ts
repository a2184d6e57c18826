import {
  matterReel,
  parseAddress,
  quote,
  ROOT_SPACE,
  stanceOf,
  TreeosError,
  threadReel,
  type Verb,
} from '@treeos/core'
import type { OperationTarget } from '../extend/extension.ts'
import type { WorldReader } from '../read/reader.ts'
import { ceilingsOf, LIST_OF_VERB, listGate, type Surface } from '../read/surface.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { Acting } from '../verbs/acting.ts'
import { requireAllowed, type StanceQuestion, stanceGate } from './stance.ts'

export interface Gated {
  readonly key: string
  readonly target: OperationTarget
  readonly fallback: StanceQuestion['fallback']
}

export async function bothGates(
  at: Acting,
  verb: Verb,
  listed: string,
  question: Gated,
): Promise<[string, string]> {
  const list = requireListed(at.surface, await ceilingsOf(at.reader, at.me), verb, listed)
  return [list, await requireStanding(at.reader, at.me, verb, question)]
}

export async function requireStanding(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  { key, target, fallback }: Gated,
): Promise<string> {
  const stance = await stanceGate(reader, {
    actor,
    verb,
    key,
    target: await standingPlace(reader, target),
    fallback,
  })
  return requireAllowed(stance, actor)
}

/** Where a target is, and whose: the spaces on the way up from there have the say of it. */
async function standingPlace(
  reader: WorldReader,
  target: OperationTarget,
): Promise<StanceQuestion['target']> {
  switch (target.kind) {
    case 'being':
      return { being: target.being, space: target.being.space }
    case 'space':
      return { being: null, space: target.space.path }
    case 'thread':
      return { being: null, space: ROOT_SPACE }
    case 'matter': {
      const { owner, place } = target.matter
      const holder = place?.startsWith('@') ? await reader.being(place.slice(1)) : null
      return { being: null, space: holder?.space ?? place ?? ROOT_SPACE, owner }
    }
  }
}

export function requireListed(
  surface: Surface,
  ceilings: Parameters<typeof listGate>[1],
  verb: Verb,
  target: string,
): string {
  const decision = listGate(surface, ceilings, LIST_OF_VERB[verb], target)
  if (!decision.allowed) {
    const { by, why } = decision
    throw new TreeosError('FORBIDDEN', why, { answer: 'not-granted', by, verb, target })
  }
  return decision.by
}

/** @throws {TreeosError} ADDRESS_PARSE_ERROR, or naming the address what is not found */
export async function resolve(
  at: Pick<Acting, 'reader' | 'me' | 'thread'>,
  text: string,
): Promise<OperationTarget> {
  const address = parseAddress(text)
  if (address.kind === 'thread') {
    const thread = await at.thread(address.thread)
    if (thread !== null) return { kind: 'thread', thread }
    throw new TreeosError('CORRELATION_NOT_FOUND', `no thread ${quote(address.thread)} began in this reality`)
  }
  if (address.kind === 'being') {
    const being = await at.reader.being(address.being)
    if (being === null)
      throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(address.being)} lives in this reality`)
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

export const isRoot = (target: OperationTarget) => target.kind === 'space' && target.space.path === ROOT_SPACE

export function nameOf(target: OperationTarget): string {
  if (target.kind === 'thread') return threadReel(target.thread.thread)
  if (target.kind === 'matter') return matterReel(target.matter.id)
  return target.kind === 'being' ? stanceOf(target.being.name) : target.space.path
}

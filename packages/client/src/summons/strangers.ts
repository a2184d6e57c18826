import { type BeingName, parseAddress, type VerbCall } from '@treeos/core'
import { defaultTarget, type Registry, type WorldReader } from '@treeos/world'

interface ActReader {
  readonly reader: WorldReader
  readonly registry: Pick<Registry, 'operations'>
}

/**
 * Whether an act of a program counts as words from outside, at every door and whatever the program says of it.
 * - What it says and writes always does, also to its own being and places: minds read it there and tell others.
 * - What holds no words does, unless it reaches the being itself, one that this one made, or what these own.
 * - What only a person does always does, and is refused so: a model that read marked words may hold the token.
 */
export async function isFromOutside(at: ActReader, as: BeingName, call: VerbCall): Promise<boolean> {
  if (call.verb === 'see') return false
  if (call.verb === 'summon') return true
  if (call.verb === 'be') {
    const { home } = call.args
    return typeof home === 'string' && isElsewhere(at, as, home)
  }
  if (at.registry.operations.get(call.operation)?.wordless !== true) return true
  return isElsewhere(at, as, call.target ?? (await leftOut(at, as, call.operation)))
}

/** Operations that take a protection away: the mark of words from outside, a legal hold. */
const UNPROTECTING: readonly string[] = ['vouch', 'lift-hold']

/** Whether a call is made on the page or at the operator's own terminal alone. */
export const isUnprotecting = (call: VerbCall): boolean =>
  call.verb === 'do' && UNPROTECTING.includes(call.operation)

/** Whether a being is neither that one itself nor made by it, or there is none of the name. */
async function isStranger(at: ActReader, as: BeingName, to: BeingName): Promise<boolean> {
  if (as === to) return false
  return !(await at.reader.lineage(to)).some(({ name }) => name === as)
}

/**
 * Whether what an address names belongs neither to that being nor to one that it made. A thread belongs to
 * nobody.
 */
async function isElsewhere(at: ActReader, as: BeingName, text: string | null): Promise<boolean> {
  const owner = text === null ? null : await ownerOf(at, as, text)
  return owner === null || isStranger(at, as, owner)
}

async function ownerOf(at: ActReader, as: BeingName, text: string): Promise<BeingName | null> {
  const { reader } = at
  const address = parseAddress(text)
  if (address.kind === 'being') return address.being
  if (address.kind === 'matter') return (await reader.matter(address.matter))?.owner ?? null
  if (address.kind === 'thread') return null
  const path = address.kind === 'home' ? (await reader.being(as))?.home : address.path
  return path === undefined ? null : ((await reader.space(path))?.owner ?? null)
}

/** The target of a call that names none; null where no such operation is known. */
async function leftOut(at: ActReader, as: BeingName, name: string): Promise<string | null> {
  const operation = at.registry.operations.get(name)
  const me = await at.reader.being(as)
  return operation === undefined || me === null ? null : defaultTarget(operation, me)
}

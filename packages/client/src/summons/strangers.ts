import { type BeingName, parseAddress, type VerbCall } from '@treeos/core'
import {
  type BeingRow,
  defaultTarget,
  isOfConsent,
  type Registry,
  type SubstrateOperation,
  type WorldReader,
} from '@treeos/world'

interface ActReader {
  readonly reader: WorldReader
  readonly registry: Pick<Registry, 'operations'>
}

/**
 * Whether an act of a program counts as words from outside, at every door and whatever the program says of it.
 * - What it says and writes always does, also to its own being and places: minds read it there and tell others.
 * - What holds no words does, unless it reaches the being itself, one that this one made, or what these own, and
 *   no rule there asks somebody, or says what holds of words from outside: a program is nobody's own yes.
 * - What only a person does always does, and is refused so: a model that read marked words may hold the token.
 */
export async function isFromOutside(at: ActReader, as: BeingName, call: VerbCall): Promise<boolean> {
  if (call.verb === 'see') return false
  if (call.verb === 'summon') return true
  const me = await at.reader.being(as)
  if (me === null) return true
  if (call.verb === 'be') return isBirthOfConsent(at, me, call)
  const operation = at.registry.operations.get(call.operation)
  if (operation?.wordless !== true) return true
  const address = call.target ?? defaultTarget(operation, me)
  if (await isElsewhere(at, me, address)) return true
  return isOfConsent(at.reader, me, { verb: 'do', key: call.operation, address })
}

/** Of what changes who exists: its home may be elsewhere, and whoever is born enters it. */
async function isBirthOfConsent(
  at: ActReader,
  me: BeingRow,
  { operation: key, args: { home } }: Extract<VerbCall, { readonly verb: 'be' }>,
): Promise<boolean> {
  if (typeof home === 'string' && (await isElsewhere(at, me, home))) return true
  if (await isOfConsent(at.reader, me, { verb: 'be', key, address: null })) return true
  if (key !== 'birth') return false
  const place = typeof home === 'string' ? home : me.home
  return isOfConsent(at.reader, me, { verb: 'do', key: 'move', address: place })
}

/** Operations that take a protection away: the mark of words from outside, a legal hold. */
const UNPROTECTING: readonly string[] = ['vouch', 'lift-hold'] satisfies SubstrateOperation[]

/** Whether a call is made on the page or at the operator's own terminal alone. */
export const isUnprotecting = (call: VerbCall): boolean =>
  call.verb === 'do' && UNPROTECTING.includes(call.operation)

/** Whether a being is neither that one itself nor made by it, or there is none of the name. */
async function isStranger(at: ActReader, as: BeingName, to: BeingName): Promise<boolean> {
  if (as === to) return false
  return !(await at.reader.lineage(to)).some(({ name }) => name === as)
}

/**
 * Whether what an address names belongs neither to that being nor to one that it made, or is not there. A thread
 * belongs to nobody.
 */
async function isElsewhere(at: ActReader, me: BeingRow, text: string): Promise<boolean> {
  const owner = await ownerOf(at, me, text)
  return owner === null || isStranger(at, me.name, owner)
}

async function ownerOf({ reader }: ActReader, me: BeingRow, text: string): Promise<BeingName | null> {
  const address = parseAddress(text)
  if (address.kind === 'being') return (await reader.being(address.being))?.name ?? null
  if (address.kind === 'matter') return (await reader.matter(address.matter))?.owner ?? null
  if (address.kind === 'thread') return null
  return (await reader.space(address.kind === 'home' ? me.home : address.path))?.owner ?? null
}

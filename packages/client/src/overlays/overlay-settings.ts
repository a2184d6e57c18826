import { type BeingName, mendedBy, quote, stanceOf, TreeosError, utf8Length } from '@treeos/core'
import { isStoredTier, isTier, parseOverlay, STORED_TIERS, type StoredTier } from '@treeos/overlay'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import {
  deleteStoredOverlay,
  listStoredOverlays,
  type OverlayEntry,
  type OverlayKey,
  setStoredOverlay,
  WORKSPACE_SCOPE,
} from '@treeos/store'
import { type OverlaySetter, requireNoProgram } from './no-program.ts'

/** A stored overlay as people see it. */
export interface OverlayView {
  readonly tier: string
  readonly name: string
  /** the channel, or the person whose account it is; left out for the workspace */
  readonly scope?: string
  readonly content: string
  /** left out: the entry Signature of what is dispatched */
  readonly appliesTo?: readonly string[]
  readonly setBy: string
  /** ISO 8601, UTC */
  readonly setAt: string
  /** it was set last in its tier and scope, so it counts there */
  readonly inForce: boolean
}

export interface OverlayRequest {
  /** a person */
  readonly as: BeingName
  /** `channel`, `workspace` or `account` */
  readonly tier: string
  /** for people; of a channel's overlay also the channel, unless `channel` names another */
  readonly name: string
  readonly channel?: string | undefined
}

/** The stored overlays that a person may read: those of the workspace, and those that it may set. */
export async function overlays(at: Presence, as: BeingName): Promise<OverlayView[]> {
  await requirePerson(at, as)
  return (await listStoredOverlays(at.db, as)).map(overlayView)
}

/**
 * Stores an overlay, in place of the one with its name. No error quotes the text.
 * @param overlay `appliesTo` names Signatures; left out: the entry Signature
 * @throws {TreeosError} FORBIDDEN, also for a program; INVALID_INPUT, also for the tiers call and thread; PAYLOAD_TOO_LARGE;
 *   RATE_LIMITED
 */
export async function setOverlay(
  at: Presence & OverlaySetter,
  request: OverlayRequest,
  overlay: { readonly content: unknown; readonly appliesTo?: unknown },
): Promise<OverlayView> {
  const key = overlayKey(request)
  requireNoProgram(at)
  await requirePerson(at, request.as)
  const { content, appliesTo = null } = parseOverlay(
    overlay.appliesTo === undefined ? { content: overlay.content } : overlay,
  )
  const answer = await setStoredOverlay(at.db, key, { content, applies: appliesTo, by: request.as })
  if (answer === 'too-many')
    throw new TreeosError(
      'RATE_LIMITED',
      `the ${key.tier} ${quote(key.scope)} has 32 overlays: delete one first`,
    )
  if (answer !== 'set') throw refusedOverlay(answer, key, request.as)
  const stored = (await listStoredOverlays(at.db, request.as)).find((entry) => isOverlayAt(entry, key))
  if (stored === undefined)
    throw new TreeosError('RESOURCE_CONFLICT', `the overlay ${quote(key.name)} was deleted meanwhile`)
  return overlayView(stored)
}

/**
 * @throws {TreeosError} FORBIDDEN; INVALID_INPUT for a tier that is never stored, and for a name that no
 *   overlay has
 */
export async function deleteOverlay(
  at: Presence & OverlaySetter,
  request: OverlayRequest,
): Promise<Pick<OverlayView, 'tier' | 'name' | 'scope'> & { readonly deleted: true }> {
  const key = overlayKey(request)
  requireNoProgram(at)
  await requirePerson(at, request.as)
  const answer = await deleteStoredOverlay(at.db, key, request.as)
  if (answer === 'missing')
    throw new TreeosError(
      'INVALID_INPUT',
      `no overlay of the ${key.tier} has the name ${quote(key.name)}`,
      mendedBy({ name: 'list-overlays' }),
    )
  if (answer !== 'deleted') throw refusedOverlay(answer, key, request.as)
  return { ...namesOf(key), deleted: true }
}

function overlayKey({ tier, name, channel, as }: OverlayRequest): OverlayKey & { readonly tier: StoredTier } {
  const stored = requireStoredTier(tier)
  if (channel !== undefined && stored !== 'channel')
    throw new TreeosError('INVALID_INPUT', `an overlay of the ${stored} belongs to no channel`)
  const bounded = {
    name: requireName('the name', name),
    channel: requireName('the channel', channel ?? name),
  }
  const scopes = { workspace: WORKSPACE_SCOPE, account: as, channel: bounded.channel }
  return { tier: stored, scope: scopes[stored], name: bounded.name }
}

function requireStoredTier(tier: string): StoredTier {
  if (isStoredTier(tier)) return tier
  if (isTier(tier))
    throw new TreeosError(
      'INVALID_INPUT',
      `an overlay of a ${tier} is never stored: give it with the ${tier}. Stored are those of ${STORED_TIERS.join(', ')}`,
      mendedBy({ name: 'give-overlay', tier }),
    )
  throw new TreeosError('INVALID_INPUT', `the tier is ${quote(tier)}; it takes ${STORED_TIERS.join(', ')}`)
}

const NAME_BYTES_MAX = 256

function requireName(what: string, name: string): string {
  const isName = name.trim() !== '' && name.isWellFormed() && !name.includes('\0')
  if (isName && utf8Length(name) <= NAME_BYTES_MAX) return name
  throw new TreeosError('INVALID_INPUT', `${what} of an overlay is text of 1 to ${NAME_BYTES_MAX} bytes`)
}

const WHO_MAY: Readonly<Record<StoredTier, string>> = {
  workspace: 'only the operator may set overlays of the workspace',
  account: 'a person sets overlays of its own account',
  channel: 'only who first said something in a channel, and the operator, may set its overlays',
}

const refusedOverlay = (
  answer: string,
  { tier }: { readonly tier: StoredTier },
  as: BeingName,
): TreeosError =>
  answer === 'forbidden'
    ? new TreeosError('FORBIDDEN', `${stanceOf(as)} may not do this: ${WHO_MAY[tier]}`)
    : new TreeosError('INVALID_INPUT', `the overlay was refused: ${answer}`)

/**
 * Overlays of a being that a model drives would be words that an agent writes for later calls: persons alone
 * set them.
 */
async function requirePerson(at: Presence, as: BeingName): Promise<void> {
  if ((await authorizeActingAs(at, as)) === null) return
  throw new TreeosError(
    'FORBIDDEN',
    `${stanceOf(as)} is not a person: overlays are read and set by persons, as themselves`,
  )
}

const isOverlayAt = (entry: OverlayEntry, { tier, scope, name }: OverlayKey): boolean =>
  entry.tier === tier && entry.scope === scope && entry.name === name

const namesOf = ({ tier, scope, name }: OverlayKey) => ({
  tier,
  name,
  ...(tier === 'workspace' ? {} : { scope: tier === 'account' ? stanceOf(scope) : scope }),
})

const overlayView = (entry: OverlayEntry): OverlayView => ({
  ...namesOf(entry),
  content: entry.content,
  ...(entry.applies === null ? {} : { appliesTo: entry.applies }),
  setBy: stanceOf(entry.setBy),
  setAt: entry.setAt.toISOString(),
  inForce: entry.isInForce,
})

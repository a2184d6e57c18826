import { addressesOf, type Json, storableMessage, TreeosError, type VerbCall, type Wake } from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import { requireListed } from '../gates/list-gate.ts'
import { isSelf, maySeeSpace, requireSight } from '../gates/sight.ts'
import type { WorldReader } from '../read/reader.ts'
import { type OperationTarget, resolve } from '../read/target.ts'
import { canonicalTarget } from '../rows/lists.ts'
import { type Act, type ActInputs, type CallInputs, NOTHING_DONE, type SeenAddress } from './act-inputs.ts'
import { publishesCatalogs } from './catalogs.ts'
import type { CallForConsent } from './consent/call-for-consent.ts'
import { Consent } from './consent/consent.ts'
import { withConsent } from './consent/with-consent.ts'
import { type Descriptor, describeReality } from './descriptor.ts'
import { operate } from './operate.ts'
import { requireBounded } from './run-operation.ts'
import { summon } from './summon.ts'
import { withOrigin } from './with-origin.ts'

/**
 * Decides one verb call. The list gate is asked before anything is read of the target, the rule gate after
 * it.
 * @returns the act; or the effect that has to be done before the call can be decided; or that it waits for
 *   the yes of a person
 * @throws {TreeosError} FORBIDDEN from either gate, or the code of another fault of the call; then nothing is
 *   written
 * @throws the error of a read that failed
 */
export async function decideCall(
  call: VerbCall,
  at: ActInputs,
): Promise<Act | EffectPending | CallForConsent> {
  const consent = new Consent({ args: callArguments(call), openedAt: at.openedAt }, at.shadows)
  try {
    const decided = counted(await decideVerb(call, { ...at, consent }), consent, at.reader)
    if (decided.kind === 'act') requireBounded(decided)
    const act = decided.kind === 'act' ? await withOrigin(withDryRunTallies(decided, consent), at) : decided
    const isPlain = consent.asked.length === 0 && at.asking?.approval == null
    return isPlain ? act : await withConsent(call, at, consent, act)
  } finally {
    at.reader.requireWhole() // an operation may have caught the error of a failed read and gone on
  }
}

/**
 * With the facts by which dry-run rules count it. These have a bound of their own, so that no
 * act is too large for what decides nothing.
 */
const withDryRunTallies = (act: Act, { dryRunTallies }: Consent): Act =>
  dryRunTallies.length === 0 ? act : { ...act, facts: [...act.facts, ...dryRunTallies] }

const callArguments = (call: VerbCall): Json => (call.verb === 'do' || call.verb === 'be' ? call.args : null)

/**
 * With the facts by which rules count it. What has still to be done outside takes its place among them before
 * it is done.
 */
function counted<Decided extends Act | EffectPending>(
  decided: Decided,
  { tallies }: Consent,
  reader: WorldReader,
): Decided {
  if (tallies.length === 0) return decided
  if (decided.kind === 'act') return { ...decided, facts: [...decided.facts, ...tallies] }
  const holds = tallies.map((fact) => ({ ...fact, seq: reader.heads.get(fact.reel)?.seq ?? 0 }))
  return { ...decided, holds }
}

function decideVerb(call: VerbCall, at: CallInputs): Promise<Act | EffectPending> {
  switch (call.verb) {
    case 'see':
      return see(addressesOf(call), at)
    case 'summon':
      return summon(call, at)
    case 'do':
      return operate(call, at)
    case 'be':
      return operate({ verb: 'be', operation: call.operation, target: null, args: call.args }, at)
  }
}

/**
 * Whether the refusal of a call is shown to the mind that made it, which may then do something else: that of
 * a look. A person is told at once, and a fault in a look is not the mind's.
 */
export const isShownRefusal = (
  call: VerbCall,
  wake: Pick<Wake, 'kind'>,
  { code }: Pick<TreeosError, 'code'>,
): boolean => call.verb === 'see' && wake.kind !== 'act' && code !== 'INTERNAL'

/** Whether who sees a being may also SEE the space where it is. */
async function seesPlaceOf(
  target: OperationTarget,
  { reader: world, me, surface }: ActInputs,
): Promise<boolean> {
  return target.kind === 'being' && maySeeSpace({ world, me, surface }, target.being.space)
}

/**
 * SEE: shows what is at each address. It writes no fact. One that is refused does not fail the others.
 * @throws {TreeosError} the first refusal, where none is allowed
 */
async function see(addresses: readonly string[], at: ActInputs): Promise<Act> {
  const found: (AllowedSight | RefusedSight)[] = []
  for (const address of addresses)
    found.push(await sightOf(address, at).catch((error: unknown) => refusedSight(address, error)))
  const allowed = found.flatMap((one) => ('refusal' in one ? [] : [one]))
  const [first] = found
  if (allowed.length === 0 && first !== undefined && 'refusal' in first) throw first.refusal
  const by = allowed.flatMap((one) => one.by)
  return {
    ...NOTHING_DONE,
    seen: found.map(({ sighting }) => sighting),
    by: addresses.length > 1 ? [...new Set(by)] : by,
  }
}

interface AllowedSight {
  readonly sighting: SeenAddress
  readonly by: readonly string[]
}

interface RefusedSight {
  readonly sighting: SeenAddress
  readonly refusal: TreeosError
}

/** @throws an error that is no refusal */
function refusedSight(address: string, error: unknown): RefusedSight {
  if (!(error instanceof TreeosError) || error.code === 'INTERNAL') throw error
  const refused = { code: error.code, message: storableMessage(error.message) }
  return { sighting: { address, refused }, refusal: error }
}

async function sightOf(address: string, at: ActInputs): Promise<AllowedSight> {
  const key = canonicalTarget('canSee', address, at.me.home)
  if (!isSelf(at.me, key)) await requireListed(at, 'see', key) // before it is told whether that is there
  const target = await resolve(at, address)
  const by = await requireSight({ world: at.reader, me: at.me, surface: at.surface }, target)
  const show = async (): Promise<Descriptor> => {
    const toPerson = at.caller.cognition === 'human'
    const entry = await describeReality(at, target, await seesPlaceOf(target, at), toPerson)
    if (!publishesCatalogs(target)) return entry
    const catalogs = await at.catalogs()
    if (catalogs.roles.some(({ outside }) => outside)) at.reader.noteOutside()
    return { ...entry, catalogs }
  }
  return { sighting: { address, show }, by }
}

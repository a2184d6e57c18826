import {
  addressesOf,
  approvalOf,
  asJson,
  askerIn,
  type BeingName,
  isSameJson,
  parseSpacePath,
  type Thread,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import {
  type ApprovalRow,
  askGates,
  type BeingRow,
  buildRegistry,
  canonicalTarget,
  defaultTarget,
  type GatedCall,
  type GateFinding,
  nothingLive,
  type Registry,
  requireEntry,
  seed,
  type WorldReader,
  yesHoldsUntil,
} from '@treeos/world'
import { at, isArray, type Json, type JsonObject, same } from '../canonical.ts'
import { valueHash } from '../hash.ts'
import type { Moment } from '../moment.ts'
import { recordedMoment } from '../recorded-moment.ts'
import { need } from './need.ts'
import type { Parts } from './witness.ts'

interface JudgedCall {
  readonly verb: string
  /** what the list gate was asked for */
  readonly asked: string
  readonly target: string
  readonly gates: readonly GateFinding[]
  /** in words, what of that is said by the record alone */
  readonly attested: readonly string[]
}

export const NOTHING_OUTSIDE = 'that nothing else that it read holds words from outside is said by its record'

type CalledMoment = ReturnType<typeof recordedMoment>
type Operation = NonNullable<ReturnType<Registry['operations']['get']>>

/** What TreeOS brings itself. */
export const OWN = buildRegistry([seed])

/**
 * Asks both gates of the law again about the call of a moment, and compares with its record what rules count
 * and ask, and what dry-run rules say. No operation is run.
 * @throws {Error} where the record says otherwise
 * @throws {MissingReel}
 */
export async function judgeReceiptCall(
  witness: Parts,
  reader: WorldReader,
  me: BeingRow,
): Promise<JudgedCall> {
  const { target } = witness
  const decided = decidedIn(witness, me)
  const { call } = decided.decision
  requireForm(call)
  const said = witness.moment.record as JsonObject
  const isDone = !(said.outcome === 'waiting' || (said.outcome === 'failure' && said.reason !== null))
  const approval = isDone ? approvalOf(decided.open.wake) : null
  const asked = approval === null ? null : await reader.approval(approval)
  need(approval === null || asked !== null, `nothing waited under ${approval}`)
  const own = operationOf(call)
  const isOfTreeos = own !== undefined || call.verb === 'see' || call.verb === 'summon'
  need(
    own === undefined || same([...witness.fallback], [...own.allow]),
    'its operation has another rule of its own',
  )
  need(
    witness.ask === undefined || (own === undefined && isOperated(call)),
    'it asks whom its operation does not',
  )
  const operation = own ?? bareOperation(witness, call)
  checkTarget(call, { me, target, asker: askerIn(decided.open, me.name) }, own)
  const registry = registryOf(call, {
    ...operation,
    ...(asked === null ? {} : { form: asked.ties.operation ?? '' }),
  })
  // No reel holds a thread. The gates ask only for its name.
  const live = nothingLive({ thread: async (thread) => ({ thread }) as Thread })
  const over = { reader, registry, live, digest: (value: unknown) => valueHash(value as Json) }
  const gated = await askGates(decided, target, over)
  const attested: string[] = []
  const key = 'operation' in call ? call.operation : target
  checkShadow(gated, said, { verb: call.verb, key, on: target })
  checkCounted(gated, witness)
  // The moment of a person holds such words by its wake alone, which is here.
  const isUnsaid = decided.open.outside !== true && decided.open.cognition.kind !== 'human'
  if (isUnsaid && (await isOfOrigin(decided, gated, target, over))) attested.push(NOTHING_OUTSIDE)
  if (call.verb === 'be' && key === 'birth' && said.outcome === 'act') await checkHome(decided, reader, me)
  const isAllowed = gated.gates.every(({ allowed }) => allowed)
  if (isDone && isAllowed) attested.push(...(await checkConsent(decided, gated, asked)))
  const [, ruled] = gated.gates
  if (isAllowed && !isOfTreeos) {
    const fallback = `${call.verb} ${key}: ${witness.fallback.join(' or ')}`
    if (ruled?.by === fallback || witness.ask !== undefined)
      attested.push(`that ${key} takes ${witness.fallback.join(' or ')} is code of its extension`)
    if (witness.ask !== undefined) attested.push(`that ${key} asks, and whom, is code of its extension`)
  }
  return { verb: call.verb, asked: key, target, gates: gated.gates, attested }
}

/** The moment as the law is asked about it. What a summon said is not in a receipt, and no gate reads it. */
export const decidedIn = ({ moment, specs, surface }: Parts, me: BeingRow): CalledMoment =>
  recordedMoment(moment as unknown as Moment, { specs, surface } as never, {
    said: null,
    epoch: me.inhabited?.epoch ?? 0,
  })

function requireForm(call: VerbCall): void {
  const { verb, operation = '', address = '', target = null } = call as unknown as JsonObject
  const isVerb = ['see', 'do', 'summon', 'be'].includes(String(verb))
  const isForm = [operation, address, target ?? ''].every((part) => typeof part === 'string')
  need(isVerb && isForm, 'its call has another form')
}

/** An operation of TreeOS itself; undefined for one of an extension, and where a call has none. */
const operationOf = (call: VerbCall): Operation | undefined =>
  call.verb === 'do'
    ? OWN.operations.get(call.operation)
    : call.verb === 'be'
      ? OWN.beOperations.get(call.operation)
      : undefined

const isOperated = ({ verb }: VerbCall): boolean => verb === 'do' || verb === 'be'

/** The operation of an extension as the witness tells of it. */
const bareOperation = ({ fallback, ask, target }: Parts, call: VerbCall): Operation => ({
  name: 'operation' in call ? call.operation : '',
  origin: '',
  description: '',
  targets: [targetKind(target)],
  allow: fallback as Operation['allow'],
  ...(ask === undefined ? {} : { ask: ask as unknown as NonNullable<Operation['ask']> }),
  args: {},
  decide: () => ({ facts: [], result: null }),
})

function targetKind(target: string): Operation['targets'][number] {
  if (target === '/') return 'reality'
  if (target.startsWith('@')) return 'being'
  if (target.startsWith('/')) return 'space'
  return target.startsWith('matter:') ? 'matter' : 'thread'
}

function registryOf(call: VerbCall, operation: Operation): Registry {
  const only = 'operation' in call ? new Map([[call.operation, operation]]) : new Map()
  return { ...OWN, operations: only, beOperations: only }
}

interface AimedCall {
  readonly me: BeingRow
  /** as the witness says */
  readonly target: string
  readonly asker: BeingName | null
}

/** Compares what the witness says that the call is done to with the call. */
function checkTarget(call: VerbCall, aimed: AimedCall, own: Operation | undefined): void {
  need(dueTargets(call, aimed, own).includes(aimed.target), 'its target is not the one of the call')
}

/** What the call may be done to. */
function dueTargets(call: VerbCall, { me, target, asker }: AimedCall, own: Operation | undefined): string[] {
  const named = call.verb === 'do' || call.verb === 'summon' ? (call.target ?? null) : null
  switch (call.verb) {
    case 'see':
      return addressesOf(call).map((address) => canonicalTarget('canSee', address, me.home))
    case 'be':
      return [`@${me.name}`]
    case 'summon': {
      if (named !== null) return [canonicalTarget('canSummon', named, me.home)]
      return asker !== null ? [`@${asker}`] : target.startsWith('@') ? [target] : []
    }
    case 'do':
      if (named !== null) return [canonicalTarget('canSee', named, me.home)]
      return own === undefined ? ['/', `@${me.name}`, me.space] : [defaultTarget(own, me)]
  }
}

/** Compares what a record says of dry-run rules with what they give. */
function checkShadow(
  { gates, shadow }: GatedCall,
  { shadow: told = [], beside, outcome }: JsonObject,
  call: { readonly verb: string; readonly key: string; readonly on: string },
): void {
  const isOfCall = (one: unknown) =>
    same(
      [at(one, 'verb') ?? null, at(one, 'key') ?? null, at(one, 'on') ?? null],
      [call.verb, call.key, call.on],
    )
  const due = beside === undefined ? ((shadow as unknown as Json[]).find(isOfCall) ?? null) : null
  const said = (isArray(told) ? told : []).find(isOfCall) ?? null
  // It may have failed before the gate was asked.
  const isBefore = said === null && outcome === 'failure' && gates.every(({ allowed }) => allowed)
  need(isBefore || same(said, due), 'the dry-run rules would have said something else')
}

/** An act is counted on each reel on which rules count it, by what they count. */
function checkCounted({ counted }: GatedCall, { moment: { record }, facts }: Parts): void {
  if (at(record, 'outcome') !== 'act') return
  const refs = at(record, 'facts')
  const links = isArray(facts) ? facts : []
  const wrote = new Map(
    (isArray(refs) ? refs : []).map((ref, i) => [isArray(ref) && ref[0], links[i] ?? null]),
  )
  const isCounted = counted.every(({ reel, payload }) => {
    const own = wrote.get(reel) ?? null
    return isArray(own) && ((own[3] ?? null) === null || same(own[3] as Json, payload as JsonObject))
  })
  need(isCounted, 'a rule counts it, and it was not counted')
}

type GateInputs = Parameters<typeof askGates>[2]

/** Whether the gates would say something else of a moment that holds words from outside. */
async function isOfOrigin(
  moment: CalledMoment,
  gated: GatedCall,
  target: string,
  over: GateInputs,
): Promise<boolean> {
  if (moment.decision.call.verb === 'see') return false
  const open = { ...moment.open, outside: true } as const
  const other = await askGates({ ...moment, open }, target, over)
  const tell = ({ gates, askedBy }: GatedCall) => ({ gates, askedBy }) as unknown as Json
  return !same(tell(gated), tell(other))
}

/** Who is born in a place enters it: the rules about `move` there let its maker, and ask nobody. */
async function checkHome(
  { open, decision }: CalledMoment,
  world: WorldReader,
  actor: BeingRow,
): Promise<void> {
  const home = at(decision, 'call', 'args', 'home') ?? null
  const path = home === null ? actor.home : parseSpacePath(String(home))
  try {
    await requireEntry({ world, actor, fromOutside: open.outside === true }, path)
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    throw new Error('the rules of the place where it gave birth do not let it')
  }
}

/**
 * Checks that a call that was done needs no yes, or brings one that holds.
 * @param asked what the moment brings a yes to; null where it brings none
 * @returns what is taken from the record, in sentences
 */
async function checkConsent(
  { being, open, decision }: CalledMoment,
  { askedBy, settle, stillAsked }: GatedCall,
  asked: ApprovalRow | null,
): Promise<string[]> {
  if (asked === null) {
    if (askedBy.length > 0) need((await settle()) === 'done', 'a rule asks about it, and nobody said yes')
    return []
  }
  const { id, asker, state, rules, call, given } = asked
  const holds = (condition: boolean, what: string) => need(condition, `the yes ${id} does not hold: ${what}`)
  holds(asker === being && state === 'given', `it is ${state}, and was asked for by @${asker}`)
  holds(isSameJson(asJson(call), asJson(decision.call)), 'it is to another call')
  holds(open.openedAt <= yesHoldsUntil(asked), 'it came too long before')
  holds(isSameJson(asJson(rules), asJson(await stillAsked())), 'others were asked')
  await settle()
  const persons = [...new Set(given.map(({ by }) => `@${by}`))].join(' and ')
  return [`that ${persons} said yes to ${id} by an act of its own is said by the facts of that reel`]
}

import {
  type BeingName,
  type Decision,
  isJsonObject,
  type Json,
  type JsonObject,
  LOOK_PREFIX,
  type MomentId,
  type OutcomeKind,
  type OverlayRecord,
  type RefusedTry,
  type RoleName,
  stanceOf,
  TreeosError,
  triggerOf,
  type Verb,
} from '@treeos/core'
import { composeLoaded, contentHeard, findMoment, type LoadedMoment, readableBy } from '@treeos/reality'
import { compileFlow, type Explanation, explainFlow, type WhyNotWorn, whyNotWorn } from '@treeos/roles'
import {
  askedIn,
  type Db,
  digestOf,
  type Fault,
  findDecision,
  type InboxEntry,
  listCosts,
  listDecisions,
  listEntries,
  listFaults,
  listOpens,
  listOutcomes,
  type MomentCost,
  openShown,
  requireOutcome,
  type StoredDecision,
  type StoredOpen,
  type StoredOutcome,
} from '@treeos/store'
import {
  type Face,
  PROMPT_LAYOUT,
  type Registry,
  type Shadowed,
  type Surface,
  toldContent,
} from '@treeos/world'
import { wordsIn } from '../beings/words.ts'

/** A finished moment as people see it. */
export interface MomentView {
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly verb: Verb | null
  readonly wake: string | null
  /** what woke it; null when a younger life closed the moment, and it has no wake */
  readonly woke: WokenBy | null
  /** what the mind called, whether it was allowed or not; null when it called nothing */
  readonly did: Called | null
  readonly outcome: OutcomeKind
  readonly reason?: string
  readonly message?: string
  readonly primary: string | null
  readonly stacked: readonly string[]
  readonly stackDigest: string | null
  readonly promptDigest: string | null
  /** id of the act, which is in each of its facts; null unless the moment is sealed */
  readonly act: string | null
  readonly actHash: string | null
  /** stance of the driver; left out when the being decided for itself */
  readonly driver?: string
  /** text that came with the decision */
  readonly content?: string
  /** of its model call, without the text; left out without one */
  readonly overlay?: OverlayRecord
  /** what rules that are tried would have said otherwise of its call; left out for nothing */
  readonly shadow?: readonly Shadowed[]
}

/** Why a moment began. */
export interface WokenBy {
  /** `act`, `continue` and `look` for a person's act, a self-continue and what a look showed; else the word of a role's `triggerOn`: `message`, `change`, … */
  readonly trigger: string
  /** stance of the being that spoke, or that made the change; null where none did */
  readonly from: string | null
  /** the value that changed, the name of the schedule, or the address that was looked at; left out for other triggers */
  readonly what?: string
  /** id of the thread */
  readonly thread: string
}

/** A call of a verb, without what it carried. */
export interface Called {
  readonly verb: Verb
  /** of a `do` or a `be` */
  readonly operation?: string
  /** stance or address; left out where the call named none */
  readonly target?: string
}

/**
 * Finished moments, oldest first.
 * @param last returns only this many of the newest
 * @param before only those with a smaller number
 */
export async function moments(
  db: Db,
  being: BeingName,
  last?: number,
  before?: number,
): Promise<MomentView[]> {
  const outcomes = await listOutcomes(db, being, last, before)
  const around = await readAround(db, outcomes)
  return outcomes.map((outcome) => describedBy(around, outcome))
}

/** A finished moment with what it said and what it cost. */
export interface LivedMoment extends MomentView {
  /** ISO 8601, UTC */
  readonly endedAt: string
  /** the beginning of what it said to another being; null when it said nothing */
  readonly words: string | null
  /** null when no model was asked */
  readonly cost: MomentCost | null
}

const WORDS_MAX = 300

/** The same with what each said and what it cost. */
export async function livedMoments(
  db: Db,
  being: BeingName,
  last: number,
  before?: number,
): Promise<LivedMoment[]> {
  const outcomes = await listOutcomes(db, being, last, before)
  const costs = await listCosts(
    db,
    outcomes.map(({ moment }) => moment),
  )
  const around = await readAround(db, outcomes)
  return outcomes.map((outcome) => ({
    ...describedBy(around, outcome),
    endedAt: new Date(outcome.sealedAt).toISOString(),
    words: saidIn(around.decisions.get(outcome.moment)?.decision),
    cost: costs.get(outcome.moment) ?? null,
  }))
}

/** What a moment is described by, besides its outcome. */
interface Around {
  readonly opens: ReadonlyMap<MomentId, StoredOpen>
  readonly decisions: ReadonlyMap<MomentId, StoredDecision>
  readonly wakes: ReadonlyMap<string, InboxEntry>
}

/** The same for many moments at once: a page of them is read by as few statements as one. */
async function readAround(db: Db, outcomes: readonly StoredOutcome[]): Promise<Around> {
  const named = outcomes.map(({ moment }) => moment)
  return {
    opens: await listOpens(db, named),
    decisions: await listDecisions(db, named),
    wakes: await listEntries(
      db,
      outcomes.flatMap(({ wake }) => wake ?? []),
    ),
  }
}

function saidIn(decision: Decision | undefined): string | null {
  if (decision?.kind !== 'call' || decision.call.verb !== 'summon') return null
  const words = wordsIn(decision.call.content)
  return (typeof words === 'string' ? words : JSON.stringify(words)).slice(0, WORDS_MAX).toWellFormed()
}

export const describeMoment = async (db: Db, outcome: StoredOutcome): Promise<MomentView> =>
  describedBy(await readAround(db, [outcome]), outcome)

function describedBy({ opens, decisions, wakes }: Around, outcome: StoredOutcome): MomentView {
  const { record } = outcome
  const open = opens.get(outcome.moment) ?? null
  const decision = decisions.get(outcome.moment) ?? null
  const wake = wakes.get(outcome.wake ?? '') ?? null
  const said = decision?.decision.kind === 'failure' ? null : (decision?.decision.content ?? null)
  return {
    n: outcome.n,
    openedAt: new Date(record.openedAt).toISOString(),
    verb: open?.record.verb ?? null,
    wake: outcome.wake,
    woke:
      wake === null
        ? null
        : wokenBy(wake, open === null ? toldContent(wake) : contentHeard(open.noted, null, wake.content)),
    did: decision === null ? null : calledIn(decision.decision, wake),
    outcome: outcome.kind,
    ...(outcome.reason === null ? {} : { reason: outcome.reason }),
    ...(outcome.detail === null ? {} : { message: outcome.detail }),
    primary: record.stack?.primary.name ?? null,
    stacked: record.stack?.stacked.map((role) => role.name) ?? [],
    stackDigest: record.stackDigest,
    promptDigest: record.promptDigest,
    act: record.act === null ? null : outcome.moment,
    actHash: record.act,
    ...(open?.record.driver == null ? {} : { driver: stanceOf(open.record.driver) }),
    ...(said === null ? {} : { content: said }),
    ...(record.overlay === undefined ? {} : { overlay: record.overlay }),
    ...(record.shadow === undefined ? {} : { shadow: record.shadow as unknown as Shadowed[] }),
  }
}

/** @param content as the being heard it */
function wokenBy(wake: InboxEntry, content: Json): WokenBy {
  const { kind, caller, root } = wake
  const isLook = kind === 'event' && wake.id.startsWith(LOOK_PREFIX)
  const trigger = triggerOf(wake) ?? (kind === 'act' ? 'act' : isLook ? 'look' : 'continue')
  const event = kind === 'event' && isJsonObject(content) ? content : {}
  const actor = typeof event.actor === 'string' ? event.actor : null
  const what = [event.what, event.name, isLook ? event.address : null].find(
    (value) => typeof value === 'string',
  )
  return {
    trigger,
    from: caller === null ? actor : stanceOf(caller.name),
    ...(typeof what === 'string' ? { what } : {}),
    thread: root,
  }
}

function calledIn(decision: Decision, wake: InboxEntry | null): Called | null {
  if (decision.kind !== 'call') return null
  const { call } = decision
  if (call.verb === 'see') return { verb: 'see', target: call.address }
  if (call.verb === 'be') {
    const { name } = call.operation === 'birth' ? call.payload : {}
    return {
      verb: 'be',
      operation: call.operation,
      ...(typeof name === 'string' ? { target: `@${name}` } : {}),
    }
  }
  const asker = call.verb === 'summon' && wake?.caller != null ? stanceOf(wake.caller.name) : null
  const target = call.target ?? asker
  return {
    verb: call.verb,
    ...(call.verb === 'do' ? { operation: call.action } : {}),
    ...(target === null ? {} : { target }),
  }
}

/** A finished moment with its open record and the content that the record names by digest. */
interface PastMoment extends LoadedMoment {
  readonly outcome: StoredOutcome
}

async function loadPastMoment(db: Db, being: BeingName, n: number): Promise<PastMoment> {
  const outcome = await requireOutcome(db, being, n)
  const moment = await findMoment(db, outcome.moment)
  if (moment === null)
    throw new TreeosError('MOMENT_NOT_FOUND', `moment ${n} of ${stanceOf(being)} was never opened`)
  const content = contentHeard(moment.noted, moment.face, moment.wake?.content ?? null)
  return { ...moment, outcome, content }
}

export type ExplainedMoment = Explanation & {
  /** what the flow read when the moment opened */
  readonly context: JsonObject
  readonly surface: Surface
  /** relationship entries and see-resolvers that failed, with the reasons */
  readonly leftOut: Face['dropped']
  /** the rules by which the two gates decided */
  readonly by: readonly string[]
  readonly gates: {
    /** null when no gate was asked: the moment ended without a call, or failed before the gates */
    readonly allowed: boolean | null
    readonly by: readonly string[]
    /** code of the failure */
    readonly reason?: string
    readonly message?: string
  }
  /** what rules that are tried would have said otherwise; left out for nothing */
  readonly shadow?: readonly Shadowed[]
  /** the roles that the flow in its shadow would have given; left out where they are the same */
  readonly wouldWear?: readonly RoleName[]
  /** how the moment ended; `reason` is null where the kind says all */
  readonly ended: {
    readonly outcome: OutcomeKind
    readonly reason: string | null
    readonly message: string | null
  }
  /** what its mind wrote without a tool call, so that it reached nobody; left out where it wrote nothing */
  readonly unheard?: string
  /** what a model called before and was refused, oldest first; left out where nothing was */
  readonly tries?: readonly RefusedTry[]
  /** errors of single attempts, oldest first: of a model, a script, the `decide` of an operation, an effect */
  readonly faults: readonly FaultView[]
}

/** For the operator: message and stack are those of the error, and may quote contents. */
export interface FaultView {
  readonly part: Fault['part']
  readonly attempt: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly seconds: number
  readonly message: string
  readonly stack: string | null
}

/**
 * Explains a past moment: the result of each clause with its reason, the surface, and the gates' decision.
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function explain(db: Db, being: BeingName, n: number): Promise<ExplainedMoment> {
  const { outcome, record: open, program, face } = await loadPastMoment(db, being, n)
  const explanation = explainFlow(compileFlow(program.flow), {
    context: open.context,
    cognition: open.cognition.kind,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: askedIn(open),
  })
  const none: Surface = { canSee: [], canDo: [], canSummon: [], canBe: [] }
  const decision = (await findDecision(db, outcome.moment))?.decision
  const unheard = decision?.kind === 'see' ? decision.content : null
  return {
    ...explanation,
    context: open.context,
    surface: face?.surface ?? none,
    leftOut: face?.dropped ?? [],
    by: outcome.record.by,
    gates: gatesOf(outcome),
    ...(open.shadow === undefined ? {} : { wouldWear: open.shadow }),
    ...(outcome.record.shadow === undefined
      ? {}
      : { shadow: outcome.record.shadow as unknown as Shadowed[] }),
    ended: { outcome: outcome.kind, reason: outcome.reason, message: outcome.detail },
    ...(unheard === null ? {} : { unheard }),
    ...(decision?.tries === undefined ? {} : { tries: decision.tries }),
    faults: (await listFaults(db, outcome.moment)).map(viewOf),
  }
}

/**
 * The smallest change of a moment's context under which it would have worn a role, over the paths that its flow reads.
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function whyNotRole(db: Db, being: BeingName, n: number, role: RoleName): Promise<WhyNotWorn> {
  const { record: open, program } = await loadPastMoment(db, being, n)
  return whyNotWorn(
    compileFlow(program.flow),
    {
      context: open.context,
      cognition: open.cognition.kind,
      roles: program.roles,
      defaultRole: program.defaultRole,
      asked: askedIn(open),
      trigger: triggerOf(open.wake),
      cut: open.cut === true,
      ended: open.ended === true,
    },
    role,
  )
}

const viewOf = ({ part, attempt, at, seconds, message, stack }: Fault): FaultView => ({
  part,
  attempt,
  at: at.toISOString(),
  seconds,
  message,
  stack,
})

function gatesOf({ kind, reason, detail, record: { by } }: StoredOutcome): ExplainedMoment['gates'] {
  if (kind !== 'failure') return { allowed: by.length > 0 ? true : null, by }
  const refusal = { ...(reason === null ? {} : { reason }), ...(detail === null ? {} : { message: detail }) }
  return { allowed: reason === 'FORBIDDEN' ? false : null, by, ...refusal }
}

export interface RebuiltPrompt {
  readonly system: string
  readonly user: string
  readonly digest: string
  /** true when the rebuilt prompt has the recorded digest */
  readonly identical: boolean
  /** an older version wrote the recorded prompt, in another form; left out when this version did */
  readonly older?: true
}

/**
 * Rebuilds the prompt of a past moment from its pinned specs and face, and compares it with the recorded digest. Notes that its mind read are shown
 * as it read them; the digest is over what is recorded of them.
 * @throws {TreeosError} MOMENT_NOT_FOUND, also when the moment wore no role
 */
export async function prompt(
  db: Db,
  registry: Registry,
  being: BeingName,
  n: number,
): Promise<RebuiltPrompt> {
  const past = await loadPastMoment(db, being, n)
  const { stack, promptDigest } = past.outcome.record
  if (stack === null || past.face === null) {
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      `moment ${n} of ${stanceOf(being)} wore no role, so it had no prompt`,
    )
  }
  const composed = await composeLoaded(db, registry, past, stack)
  const digest = digestOf(composed.prompt)
  const { moment } = past.outcome
  const read = await readableBy(past, (sealed) => openShown(db, moment, sealed))
  const { prompt } = read === past ? composed : await composeLoaded(db, registry, read, stack)
  const older = past.record.layout < PROMPT_LAYOUT ? { older: true as const } : {}
  return { ...prompt, digest, identical: digest === promptDigest, ...older }
}

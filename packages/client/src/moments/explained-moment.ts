import {
  type BeingName,
  type JsonObject,
  type LookingBack,
  type OutcomeKind,
  type RoleName,
  triggerOf,
} from '@treeos/core'
import {
  compileFlow,
  type Explanation,
  explainFlow,
  type HiddenPlace,
  isOfPlace,
  type NeverWorn,
  whyNotWorn,
} from '@treeos/roles'
import {
  type AttemptFault,
  askedIn,
  costOf,
  type Db,
  findDecision,
  listDecidedAgain,
  listFaults,
  type MomentCost,
  type StoredOutcome,
} from '@treeos/store'
import type { Face, ShadowVerdict, Surface } from '@treeos/world'
import {
  hiddenPlace,
  type PastReader,
  type ShownChange,
  shownChange,
  whyHidden,
  withoutPlace,
} from '../access/past-reader.ts'
import { loadPastMoment } from './past-moment.ts'

export type ExplainedMoment = Explanation & {
  /** what the flow read when the moment opened, without what is hidden from the reader */
  readonly context: JsonObject
  /** from whom the qualities of the place were hidden; left out where they were not */
  readonly hidden?: HiddenPlace
  /** what hides the place from the being now; only for a reader who may see it */
  readonly hiddenBy?: string
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
  /** what dry-run rules would have said otherwise; left out for nothing */
  readonly shadow?: readonly ShadowVerdict[]
  /** the roles that the flow in its shadow would have given; left out where they are the same */
  readonly wouldWear?: readonly RoleName[]
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly endedAt: string
  /** null when no model was asked */
  readonly cost: MomentCost | null
  /** how the moment ended; `reason` is null where the kind says all */
  readonly ended: {
    readonly outcome: OutcomeKind
    readonly reason: string | null
    readonly message: string | null
  }
  /** what its mind wrote without a tool call, so that it reached nobody; left out where it wrote nothing */
  readonly unheard?: string
  /** how many calls its model wrote after the first one, none of which was made; left out for none */
  readonly ignoredCalls?: number
  /** number of the moment in which its model decided again after the refusal; null while that is not over, left out for any other */
  readonly wentOn?: number | null
  /** where it looked; left out for forward */
  readonly orientation?: LookingBack
  /** errors of single attempts, oldest first: of a model, a script, the `decide` of an operation, an effect */
  readonly faults: readonly FaultView[]
}

/** For the operator: message and stack are those of the error, and may quote contents. */
export interface FaultView {
  readonly part: AttemptFault['part']
  readonly attempt: number
  /** ISO 8601, UTC */
  readonly at: string
  readonly seconds: number
  readonly message: string
  readonly stack: string | null
}

/**
 * Explains a past moment: the result of each clause with its reason, the surface, and the gates' decision.
 * @param reader null: whoever may read the database
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function explain(
  db: Db,
  being: BeingName,
  n: number,
  reader: PastReader | null = null,
): Promise<ExplainedMoment> {
  const moment = await loadPastMoment(db, being, n)
  const { outcome, record: open, program, face } = moment
  const flow = compileFlow(program.flow)
  const hidden = flow.paths.some(isOfPlace) ? await hiddenPlace(moment, reader) : null
  const why = hidden === 'being' && reader !== null ? await whyHidden(being, moment, reader) : null
  const input = {
    context: open.context,
    cognition: open.cognition.kind,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: askedIn(open),
  }
  const explanation = explainFlow(flow, input, hidden)
  const none: Surface = { canSee: [], canDo: [], canSummon: [], canBe: [] }
  const decision = (await findDecision(db, outcome.moment))?.decision
  const wentOn =
    outcome.kind === 'failure'
      ? (await listDecidedAgain(db, [outcome.moment])).get(outcome.moment)
      : undefined
  const unheard = decision?.kind === 'see' ? decision.content : null
  return {
    ...explanation,
    context: hidden === 'reader' ? withoutPlace(open.context) : open.context,
    ...(hidden === null ? {} : { hidden }),
    ...(why === null ? {} : { hiddenBy: why }),
    surface: face?.surface ?? none,
    openedAt: new Date(open.openedAt).toISOString(),
    endedAt: new Date(outcome.sealedAt).toISOString(),
    cost: await costOf(db, outcome.moment),
    leftOut: face?.dropped ?? [],
    by: outcome.record.by,
    gates: gatesOf(outcome),
    ...(open.shadow === undefined ? {} : { wouldWear: open.shadow }),
    ...(outcome.record.shadow === undefined
      ? {}
      : { shadow: outcome.record.shadow as unknown as ShadowVerdict[] }),
    ended: { outcome: outcome.kind, reason: outcome.reason, message: outcome.detail },
    ...(unheard === null ? {} : { unheard }),
    ...(decision?.kind === 'call' && decision.ignoredCalls !== undefined
      ? { ignoredCalls: decision.ignoredCalls }
      : {}),
    ...(wentOn === undefined ? {} : { wentOn }),
    ...(open.orientation === undefined ? {} : { orientation: open.orientation }),
    faults: (await listFaults(db, outcome.moment)).map(faultView),
  }
}

/**
 * The smallest change of a moment's context under which it would have worn a role, over the paths that its
 * flow reads.
 * @param reader as for {@link explain}
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function whyNotRole(
  db: Db,
  being: BeingName,
  n: number,
  role: RoleName,
  reader: PastReader | null = null,
): Promise<WhyNotRole> {
  const moment = await loadPastMoment(db, being, n)
  const { record: open, program } = moment
  const answer = whyNotWorn(
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
  if (answer.changes === null) return answer
  const hidden = answer.changes.some(({ path }) => isOfPlace(path)) ? await hiddenPlace(moment, reader) : null
  return { changes: answer.changes.map((change) => shownChange(change, hidden)) }
}

/** The smallest change under which a moment had worn a role, without what is hidden from who asks. */
export type WhyNotRole =
  /** none when it was worn */
  | { readonly changes: readonly ShownChange[]; readonly never?: undefined }
  | { readonly changes: null; readonly never: NeverWorn; readonly message: string }

const faultView = ({ part, attempt, at, seconds, message, stack }: AttemptFault): FaultView => ({
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

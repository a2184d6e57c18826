import { parseMomentId } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { type LoadedMoment, liveQuestions } from '@treeos/reality'
import { type BeforeStamp, type Db, digestOf } from '@treeos/store'
import { type Conclusion, conclude, type DecidedMoment } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { reportFault } from '../moments/fault.ts'
import type { GateInput } from './propose.ts'
import type { StampReading } from './read.ts'

/** Asks the law what a proposal comes to. */
export async function concludeProposal(
  db: Db,
  deps: BeatDeps,
  input: StampInput,
  proposal: GateInput,
  { reader, source, current, isKept }: StampReading,
  { effect }: Pick<BeforeStamp, 'effect'>,
): Promise<Conclusion> {
  const moment = decidedMoment(current, proposal, effect !== null)
  const live = liveQuestions(db, input.moment, source)
  const { registry } = deps
  const conclusion = await conclude(moment, { reader, live, registry, digest: digestOf, asksDryRun: true })
  const refusal = conclusion.kind === 'effect-pending' ? undefined : conclusion.refusal
  if (refusal?.code === 'INTERNAL' && refusal.cause !== undefined && !isKept)
    await reportFault(deps, input.moment, { part: 'decide', attempt: 1, seconds: 0, error: refusal.cause })
  return conclusion
}

/** A moment with its proposal, as the law is asked about it. */
function decidedMoment(loaded: LoadedMoment, proposal: GateInput, hasEffect = false): DecidedMoment {
  const { record: open, content, face, overlays, program } = loaded
  const at = { being: parseMomentId(open.moment).being, open, content }
  if (proposal.kind === 'skipped')
    return {
      ...at,
      worn: null,
      decision: null,
      skip: { reason: proposal.reason, detail: whyUnregistered(program) },
    }
  const { stack, composed, decision, prompt, refused } = proposal
  if (face === null) throw new Error(`moment ${open.moment} has a stack and no face`)
  return {
    ...at,
    worn: { stack, surface: face.surface, role: composed.role },
    decision,
    missing: prompt === null ? composed.missing : null,
    overlay: overlays?.call ?? null,
    ...(refused === undefined ? {} : { refused }),
    ...(hasEffect ? { hasEffect } : {}),
  }
}

/** Names roles of the flow that are not registered: their extension may be removed, or not loaded yet. */
function whyUnregistered({ flow, defaultRole, roles }: LoadedMoment['program']): string | null {
  const named = new Set(flow.map(({ role }) => role).concat(defaultRole ?? []))
  const gone = [...named].filter((role) => typeof role === 'string' && !Object.hasOwn(roles, role))
  return gone.length === 0
    ? null
    : `the flow names ${gone.join(', ')}, which is not registered: was its extension removed?`
}

import { canonicalJson, type Decision, parseMomentId, type VerbCall } from '@treeos/core'
import { type LoadedMoment, sealCall } from '@treeos/reality'
import type { BeatDeps } from '../deps.ts'

/** Seals what one mind calls. The same call is sealed once, however often it is asked about. */
export type CallSealer = (call: VerbCall) => Promise<VerbCall>

export function sealOf(deps: Pick<BeatDeps, 'db' | 'registry'>, { record }: LoadedMoment): CallSealer {
  const { being } = parseMomentId(record.moment)
  const { id: wake } = record.wake
  const sealed = new Map<string, Promise<VerbCall>>()
  return async (call) => {
    if (call.verb !== 'do' || deps.registry.operations.get(call.operation)?.seals === undefined) return call
    const text = canonicalJson(call)
    const known = sealed.get(text) ?? sealCall(deps, being, call, wake)
    sealed.set(text, known)
    known.catch(() => sealed.delete(text)) // Postgres may be away
    return known
  }
}

/** A decision as it may be recorded: with its call sealed, and those that were refused before. */
export async function sealedDecision<Made extends Decision>(seal: CallSealer, decision: Made): Promise<Made> {
  const { tries = [] } = decision
  const sealed = await Promise.all(tries.map(async ({ call }) => (call === null ? null : seal(call))))
  const call = decision.kind === 'call' ? await seal(decision.call) : null
  const isSame = tries.every(({ call }, i) => call === sealed[i])
  if (isSame && (decision.kind !== 'call' || call === decision.call)) return decision
  return {
    ...decision,
    ...(call === null ? {} : { call }),
    ...(isSame ? {} : { tries: tries.map((one, i) => ({ ...one, call: sealed[i] ?? null })) }),
  }
}

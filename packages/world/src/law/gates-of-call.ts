/** What both gates say of a call, without anything that its verb or its operation does then. */
import {
  type FactDraft,
  readPath,
  type SeeCall,
  TreeosError,
  unknownBeing,
  type VerbCall,
} from '@treeos/core'
import { askListGate } from '../gates/list-gate.ts'
import { GateRefusal, type ShadowVerdict } from '../gates/refusal.ts'
import { requireGranted } from '../gates/rule-gate.ts'
import { isSelf } from '../gates/sight.ts'
import { resolve } from '../read/target.ts'
import { canonicalTarget } from '../rows/lists.ts'
import type { AskedOf } from '../rows/rows.ts'
import { type ActInputs, NOTHING_DONE } from '../verbs/act-inputs.ts'
import { Consent } from '../verbs/consent/consent.ts'
import { stillAsked } from '../verbs/consent/whom.ts'
import { withConsent } from '../verbs/consent/with-consent.ts'
import { resolveOperation } from '../verbs/resolve-operation.ts'
import type { LawOver } from './conclude.ts'
import type { CallingMoment } from './judge.ts'
import { AskedQuestions } from './live.ts'
import { actingOf } from './moment.ts'

/** The answer of one gate, with the entry, list, ceiling or rule that gave it. */
export interface GateFinding {
  readonly allowed: boolean
  readonly by: string
}

export interface GatedCall {
  /** in their order; the second is not asked where the first refuses */
  readonly gates: readonly GateFinding[]
  /** the facts by which rules count the call once it is done, those of dry-run rules too */
  readonly counted: readonly FactDraft[]
  /** addresses of the rules that ask about it */
  readonly askedBy: readonly string[]
  /** what dry-run rules would have said otherwise */
  readonly shadow: readonly ShadowVerdict[]
  /**
   * the rules that ask, with the persons that they ask besides who makes the call.
   * @throws {TreeosError} where these are too few
   */
  readonly stillAsked: () => Promise<readonly AskedOf[]>
  /**
   * Whether a call that both gates allow is done, or waits for a yes.
   * @throws {TreeosError} for a yes that does not hold
   */
  readonly settle: () => Promise<'done' | 'waits'>
}

const SELF: GateFinding = { allowed: true, by: 'see: self' }

/**
 * Asks both gates about the call of a moment.
 * @param recipient whom a summon is for that names nobody
 * @throws {TreeosError} for a target that is not there, or that the operation does not take
 * @throws the error of a read that failed
 */
export async function askGates(
  moment: CallingMoment,
  recipient: string | null,
  { reader, live, registry, digest }: Pick<LawOver, 'reader' | 'live' | 'registry' | 'digest'>,
): Promise<GatedCall> {
  const { being, open, decision, content } = moment
  const { call } = decision
  const shadows: ShadowVerdict[] = []
  const me = await reader.being(being)
  if (me === null) throw unknownBeing(being)
  const inputs = { reader, registry, asked: new AskedQuestions(live), digest, shadows, judged: null }
  const acting = actingOf(moment, inputs, me, { ...open.wake, being, content })
  const args = call.verb === 'do' || call.verb === 'be' ? call.args : null
  const consent = new Consent({ args, openedAt: open.openedAt }, shadows)
  const gates: GateFinding[] = []
  const key = listKeyOfCall(call, recipient, me.home)
  if (call.verb === 'see' && isSelf(me, key)) gates.push(SELF, SELF)
  else {
    const listed = await askListGate(acting, call.verb, key)
    gates.push(listed.allowed ? { allowed: true, by: listed.by } : findingIn(listed.refusal()))
    if (listed.allowed) {
      consent.listed = listed.by
      gates.push(await refusalAsFinding(() => ruleOn(call, key, acting, consent)))
    }
  }
  return {
    gates,
    counted: [...consent.tallies, ...consent.dryRunTallies],
    askedBy: consent.asked.flatMap(({ asks }) => asks.map(({ by }) => by)),
    shadow: shadows,
    stillAsked: () => stillAsked(acting, consent.asked),
    settle: async () => {
      const { kind } = await withConsent<{ readonly kind: string }>(call, acting, consent, NOTHING_DONE)
      return kind === 'waiting' ? 'waits' : 'done'
    },
  }
}

/** @returns the rule that allows it @throws {TreeosError} */
async function ruleOn(call: VerbCall, key: string, at: ActInputs, consent: Consent): Promise<string> {
  const { reader, me, fromOutside } = at
  if (call.verb === 'do' || call.verb === 'be') {
    const { verb, operation, args } = call
    const target = call.verb === 'do' ? (call.target ?? null) : null
    return (await resolveOperation(at, { verb, operation, target, args }, me, consent)).rule
  }
  const question = { key, target: await resolve(at, key), fallback: ['anyone' as const] }
  if (call.verb === 'summon') return consent.granted(reader, me, 'summon', { ...question, fromOutside })
  return requireGranted(reader, me, 'see', question)
}

/** @throws {TreeosError} INVALID_INPUT for a look at several addresses, each of which passes gates of its own */
function oneAddressOf(call: SeeCall): string {
  if ('address' in call) return call.address
  throw new TreeosError('INVALID_INPUT', 'a look at several addresses passes gates for each of them')
}

/** What the list gate is asked for. */
function listKeyOfCall(call: VerbCall, recipient: string | null, home: string): string {
  if (call.verb === 'see') return canonicalTarget('canSee', oneAddressOf(call), home)
  if (call.verb !== 'summon') return call.operation
  const named = call.target ?? recipient
  if (named === null) throw new TreeosError('INVALID_INPUT', 'the summon names nobody')
  return canonicalTarget('canSummon', named, home)
}

async function refusalAsFinding(ask: () => Promise<string>): Promise<GateFinding> {
  try {
    return { allowed: true, by: await ask() }
  } catch (error) {
    if (error instanceof GateRefusal) return findingIn(error)
    throw error
  }
}

const findingIn = ({ detail }: TreeosError): GateFinding => ({
  allowed: false,
  by: String(readPath(detail, ['by']) ?? ''),
})

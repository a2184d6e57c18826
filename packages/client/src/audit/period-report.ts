import {
  FACT_ERASED,
  type Fact,
  HOLD_LIFTED,
  HOLD_SET,
  isJsonObject,
  type Json,
  MOMENT_ERASED,
  type MomentId,
  stanceOf,
} from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { listFactsOfKinds, listModelUse, type ModelUse } from '@treeos/store'
import { listTokens, type TokenView } from '../access/tokens.ts'
import { addressOfReel } from '../moments/erasure-call.ts'
import { type ListedMoment, recordedWithin } from '../moments/lived-moments.ts'

/** What auditors ask of a period, in one value. Times are ISO 8601, UTC. */
export interface PeriodReport {
  readonly v: 1
  readonly reality: { readonly id: string; readonly name: string }
  readonly since: string
  readonly until: string
  /** when it was written */
  readonly at: string
  readonly acts: readonly ReportedCall[]
  /** calls that were not permitted, or failed */
  readonly refusals: readonly ReportedCall[]
  /** facts that change who may do what */
  readonly authority: readonly ReportedFact[]
  /** access tokens that were issued or revoked */
  readonly tokens: readonly TokenView[]
  readonly approvals: readonly ReportedFact[]
  readonly erasures: readonly ReportedFact[]
  readonly holds: readonly ReportedFact[]
  readonly models: readonly ModelUse[]
}

/** A checkpoint of the log that covers what a report tells. */
interface ReportedCheckpoint {
  /** how many entries of the log it covers */
  readonly size: number
  /** the signed note, with the cosignatures of witnesses where it has some */
  readonly note: string
}

/** The report, with two checkpoints: the newest, and the newest that witnesses cosigned. */
export interface CheckpointedReport extends PeriodReport {
  readonly checkpoints: readonly ReportedCheckpoint[]
}

/** A call of a moment, and what permitted or refused it. */
interface ReportedCall
  extends Pick<ListedMoment, 'being' | 'moment' | 'outcome' | 'did' | 'woke' | 'primary' | 'stacked'> {
  readonly at: string
  readonly reason?: string
  readonly driver?: string
  /** the rules of both gates that decided */
  readonly by: readonly string[]
  /** hash of the act; null where none came of it */
  readonly act: string | null
  readonly tokens?: number
  readonly money?: number
}

interface ReportedFact {
  readonly on: string
  /** REEL#SEQ */
  readonly fact: string
  readonly hash: string
  readonly kind: string
  /** stance of who did it; `$reality` where no being did */
  readonly by: string
  readonly moment: MomentId | null
  readonly at: string
  /** null where it was erased */
  readonly says: Json
}

const ERASURES = [FACT_ERASED, MOMENT_ERASED]
const HOLDS = [HOLD_SET, HOLD_LIFTED]
const APPROVALS = ['asked', 'given', 'denied', 'expired', 'used', 'voided'].map((what) => `approval:${what}`)
const QUALITY = 'quality:set'
const AUTHORITY = [
  ...['being:born', 'being:ended', 'being:bounded', 'being:role-set', 'being:inhabited', 'being:released'],
  ...['being:budgeted', 'being:paused', 'being:resumed', 'being:parked', 'being:unparked'],
  ...['being:difference-accepted', 'role:set', 'role:deleted', 'origin:vouched'],
  ...['space:created', 'space:contributor-added', 'space:contributor-removed'],
  ...['signal:granted', 'signal:revoked', QUALITY],
]
/** Qualities of which somebody's rights follow. */
const RIGHTS = ['permissions', 'roleFlow', 'passkeys', 'llm', 'budget', 'a2a', 'shadow', 'wake']

const MOMENTS_MAX = 1_000_000

/**
 * All of a period that an auditor asks for.
 * @param bounds ms since 1970 UTC: from, and before
 */
export async function periodReport(
  at: Presence,
  { since, until }: { readonly since: number; readonly until: number },
): Promise<PeriodReport> {
  const { db, reality } = at
  const within = { since, until }
  const lived = await recordedWithin(db, { of: null, ...within, limit: MOMENTS_MAX })
  const calls = lived.flatMap(({ moment, record }) =>
    moment.did === null ? [] : [callIn(moment, record.by)],
  )
  const facts = async (kinds: readonly string[]) =>
    (await listFactsOfKinds(db, { kinds, ...within })).map(factIn)
  const isOf = (iso: string | null) => iso !== null && Date.parse(iso) >= since && Date.parse(iso) < until
  const authority = await facts(AUTHORITY)
  return {
    v: 1,
    reality: { id: reality.id, name: reality.name },
    since: isoOf(since),
    until: isoOf(until),
    at: isoOf(Date.now()),
    acts: calls.filter(({ outcome }) => outcome === 'act'),
    refusals: calls.filter(({ outcome, reason }) => outcome === 'failure' || reason !== undefined),
    authority: authority.filter(({ kind, says }) => kind !== QUALITY || isOfRights(says)),
    tokens: (await listTokens(at, 'operator')).filter(
      ({ issuedAt, revokedAt }) => isOf(issuedAt) || isOf(revokedAt),
    ),
    approvals: await facts(APPROVALS),
    erasures: await facts(ERASURES),
    holds: await facts(HOLDS),
    models: await listModelUse(db, within),
  }
}

function callIn(lived: ListedMoment, by: readonly string[]): ReportedCall {
  const { being, moment, endedAt, outcome, reason, did, woke, driver, primary, stacked, actHash, cost } =
    lived
  return {
    being,
    moment,
    at: endedAt,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    did,
    woke,
    ...(driver === undefined ? {} : { driver }),
    primary,
    stacked,
    by,
    act: actHash,
    ...(cost === null ? {} : { tokens: cost.tokens, money: cost.money }),
  }
}

function factIn({ header, hash, payload }: Fact): ReportedFact {
  const { reel, seq, kind, actor, moment, at } = header
  const asker = payload?.onBehalfOf
  const by = typeof asker === 'string' ? asker : actor
  return {
    on: addressOfReel(reel),
    fact: `${reel}#${seq}`,
    hash,
    kind,
    by: by.startsWith('$') ? by : stanceOf(by),
    moment,
    at: isoOf(at),
    says: payload,
  }
}

const isOfRights = (says: Json): boolean => {
  const path = isJsonObject(says) ? says.path : null
  return !Array.isArray(path) || RIGHTS.includes(String(path[0]))
}

const isoOf = (at: number) => new Date(at).toISOString()

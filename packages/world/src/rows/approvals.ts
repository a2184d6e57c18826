import {
  ASKED_PREFIX,
  type BeingName,
  canonicalJson,
  type Digest,
  type FactDraft,
  fromJson,
  type JsonObject,
  type MomentId,
  type VerbCall,
} from '@treeos/core'
import type { ApprovalRow, ApprovalState } from './rows.ts'

/** A fact about a call that waits, with who wrote it and when. */
interface Told extends FactDraft {
  readonly actor: string
  readonly at: number
}

/** What the fact tells of a call that waits. Its fields follow the call, which SQL finds at the beginning. */
export type AskedPayload = Omit<ApprovalRow, 'id' | 'asker' | 'at' | 'given' | 'state'>

export function asked({ reel, payload, actor, at }: Told): ApprovalRow {
  return {
    ...fromJson<AskedPayload>(payload),
    id: reel.slice('approval:'.length),
    asker: actor,
    at,
    given: [],
    state: 'open',
  }
}

/** A yes to the call as the fact tells it. Where that is another call than before, the others have to say yes to it, too. */
export function given(row: ApprovalRow, { payload, actor, at }: Told): ApprovalRow {
  if (row.state !== 'open') return row
  const { call, digest } = fromJson<{ call: VerbCall; digest: Digest }>(payload)
  const isSame = canonicalJson(call) === canonicalJson(row.call)
  const after = {
    ...row,
    call,
    ties: { ...row.ties, call: digest },
    given: [...(isSame ? row.given : []), { by: actor, at }],
  }
  return { ...after, state: isGiven(after) ? 'given' : 'open' }
}

/** What each of the other facts leads to, and from which state. */
export const endsAs =
  (from: ApprovalState, state: ApprovalState) =>
  (row: ApprovalRow): ApprovalRow =>
    row.state === from ? { ...row, state } : row

/** Whether enough persons have said yes to each rule. */
const isGiven = ({ rules, given }: Pick<ApprovalRow, 'rules' | 'given'>): boolean =>
  rules.every(({ who, count }) => given.filter(({ by }) => who.includes(by)).length >= count)

/** The persons that may answer, sorted. */
export const approversOf = ({ rules }: Pick<ApprovalRow, 'rules'>): BeingName[] =>
  [...new Set(rules.flatMap(({ who }) => who))].sort()

/** Id of the inbox entry that asks a person. */
export const askedEntry = (id: MomentId, person: BeingName): string => `${ASKED_PREFIX}${id}/${person}`

/** Until when a yes is good: as long again as the question was. */
export const yesHoldsUntil = ({ at, expiresAt, given }: ApprovalRow): number =>
  (given.at(-1)?.at ?? at) + (expiresAt - at)

/** The call with other arguments; null for a call that has none. */
export function withArguments(call: VerbCall, args: JsonObject): VerbCall | null {
  if (call.verb === 'do') return { ...call, args }
  return call.verb === 'be' ? { ...call, payload: args } : null
}

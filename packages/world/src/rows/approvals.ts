import {
  ASKED_PREFIX,
  asJson,
  type BeingName,
  canonicalJson,
  type Digest,
  type FactDraft,
  fromJson,
  type JsonObject,
  newWake,
  PRIORITIES,
  stanceOf,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { ApprovalRow, ApprovalState } from './rows.ts'

/** A fact about a call that waits, with who wrote it and when. */
interface ApprovalFact extends FactDraft {
  readonly actor: string
  readonly at: number
}

/** What the fact tells of a call that waits. */
export type AskedPayload = Omit<ApprovalRow, 'id' | 'asker' | 'at' | 'given' | 'state' | 'revision'>

export function asked({ reel, payload, actor, at }: ApprovalFact): ApprovalRow {
  return {
    ...fromJson<AskedPayload>(payload),
    id: reel.slice('approval:'.length),
    asker: actor,
    at,
    given: [],
    revision: 1,
    state: 'open',
  }
}

/**
 * A yes to the call as the fact tells it. Where that is another call than before, the others have to say yes
 * to it, too.
 */
export function given(row: ApprovalRow, { payload, actor, at }: ApprovalFact): ApprovalRow {
  if (row.state !== 'open') return row
  const { call, digest } = fromJson<{ call: VerbCall; digest: Digest }>(payload)
  const isSame = canonicalJson(call) === canonicalJson(row.call)
  const after = {
    ...row,
    call,
    revision: row.revision + (isSame ? 0 : 1),
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
  rules.every(({ who, count }) => who.filter((name) => hasGiven({ given }, name)).length >= count)

/** Whether a person has said yes to the call as it is. */
export const hasGiven = ({ given }: Pick<ApprovalRow, 'given'>, person: BeingName): boolean =>
  given.some(({ by }) => by === person)

/** The persons that may answer, sorted. */
export const approversOf = ({ rules }: Pick<ApprovalRow, 'rules'>): BeingName[] =>
  [...new Set(rules.flatMap(({ who }) => who))].sort()

/** Id of the inbox entry that asks a person about a call. */
export const askedEntry = (
  { id, revision }: Pick<ApprovalRow, 'id' | 'revision'>,
  person: BeingName,
): string => `${ASKED_PREFIX}${id}/${person}${revision === 1 ? '' : `/${revision}`}`

/** What persons name to answer: the moment that asked, and after a change also which call it is by now. */
export const shownId = ({ id, revision }: Pick<ApprovalRow, 'id' | 'revision'>): string =>
  revision === 1 ? id : `${id}/${revision}`

/**
 * The entry that asks a person about a call, with all that it needs to know of it. Of what a mind wrote, only
 * the call is in it.
 */
export const entryFor = (row: ApprovalRow, person: BeingName): Wake =>
  newWake({
    id: askedEntry(row, person),
    being: person,
    kind: 'event',
    priority: PRIORITIES.interactive,
    content: {
      event: 'asked',
      actor: stanceOf(row.asker),
      approval: row.id,
      id: shownId(row),
      call: asJson(row.call),
      on: row.target,
      rule: row.rules[0]?.by ?? '',
      expiresAt: new Date(row.expiresAt).toISOString(),
      roles: [...row.roles],
      ...(row.caller === null ? {} : { for: stanceOf(row.caller.name) }),
      ...(row.lease === null ? {} : { driver: stanceOf(row.lease.driver) }),
      ...(row.fromOutside === true ? { outside: true } : {}),
      ...(row.given.length === 0 ? {} : { given: row.given.map(({ by }) => stanceOf(by)) }),
    },
    root: row.root,
    ...(row.fromOutside === true ? { outside: true } : {}),
  })

/** Until when a yes is good: as long again as the question was. */
export const yesHoldsUntil = ({ at, expiresAt, given }: ApprovalRow): number =>
  (given.at(-1)?.at ?? at) + (expiresAt - at)

/** The call with other arguments; null for a call that has none. */
export function withArguments(call: VerbCall, args: JsonObject): VerbCall | null {
  return call.verb === 'do' || call.verb === 'be' ? { ...call, args } : null
}

import {
  approvalReel,
  asJson,
  type BeingName,
  type FactDraft,
  type Json,
  type PinnedStack,
  type RoleName,
  stanceOf,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { AskedRules } from '../../gates/refusal.ts'
import { type AskedPayload, approversOf, asked as askedRow, entryFor } from '../../rows/approvals.ts'
import type { AskedOf } from '../../rows/rows.ts'
import type { ActInputs } from '../act-inputs.ts'
import type { ConsentTerms } from './consent.ts'
import { tiesOf } from './ties.ts'
import { personOf } from './whom.ts'

/** A call that waits for a yes. Nothing of it was done. */
export interface CallForConsent {
  readonly kind: 'waiting'
  readonly facts: readonly FactDraft[]
  /** entries in the inboxes of those who may answer */
  readonly wakes: readonly Wake[]
  /** for whoever made the call */
  readonly result: Json
  readonly why: string
  readonly by: readonly string[]
  /** the nearest person of the line of who asks */
  readonly person: BeingName | null
}

const rolesIn = ({ primary, stacked }: PinnedStack): RoleName[] =>
  [primary, ...stacked].map(({ name }) => name)

/** Asks about a call: the fact, and an entry for each person that may answer. */
export async function waiting(
  call: VerbCall,
  at: ActInputs,
  {
    asking,
    rules,
    asked,
  }: {
    readonly asking: ConsentTerms
    readonly rules: readonly AskedOf[]
    readonly asked: readonly AskedRules[]
  },
): Promise<CallForConsent> {
  const { moment: id, openedAt, me, reader, fromOutside } = at
  if ('overlay' in call)
    throw new TreeosError(
      'FORBIDDEN',
      'a call with an overlay cannot wait for a yes: its text is kept nowhere',
    )
  const within = Math.min(...asked.flatMap(({ asks }) => asks.map(({ ask }) => ask.withinSeconds)))
  const { stack, approval: _none, ...rest } = asking
  const payload: AskedPayload = {
    call,
    ...rest,
    rules,
    ties: await tiesOf(call, at, asking, asked),
    roles: rolesIn(stack),
    expiresAt: openedAt + within * 1000,
    person: await personOf(reader, me.name),
    target: targetIn(asked),
    ...(fromOutside ? { fromOutside } : {}),
  }
  await reader.approval(id) // the append checks that nothing was asked under this id before
  const fact: FactDraft = { reel: approvalReel(id), kind: 'approval:asked', payload: asJson(payload) }
  const row = askedRow({ ...fact, actor: me.name, at: openedAt })
  const who = approversOf(row)
  const told = { rule: row.rules[0]?.by ?? '', expiresAt: new Date(row.expiresAt).toISOString() }
  return {
    kind: 'waiting',
    facts: [fact],
    wakes: who.map((person) => ({ ...entryFor(row, person), hops: at.hops })),
    result: { approval: id, waitsFor: who.map(stanceOf), ...told },
    why: `it waits for the yes of ${who.map(stanceOf).join(' or ')}, whom ${told.rule} asks about ${id}`,
    by: rules.map(({ by }) => by),
    person: row.person,
  }
}

/** What the first rule was asked about. */
function targetIn([first]: readonly AskedRules[]): string {
  const { being, space } = first?.question.target ?? { being: null, space: '' }
  return being === null ? space : stanceOf(being.name)
}

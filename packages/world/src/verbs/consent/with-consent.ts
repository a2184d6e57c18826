import {
  approvalReel,
  asJson,
  type BeingName,
  type FactDraft,
  type Json,
  type MomentId,
  type PinnedStack,
  type RoleName,
  type SpacePath,
  stanceOf,
  TreeosError,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import { ceilingsOf } from '../../gates/list-gate.ts'
import type { AskedRules } from '../../gates/refusal.ts'
import type { WorldReader } from '../../read/reader.ts'
import {
  type AskedPayload,
  approversOf,
  asked as askedRow,
  entryFor,
  yesHoldsUntil,
} from '../../rows/approvals.ts'
import type { ApprovalRow, AskedOf, BeingRow, Ties } from '../../rows/rows.ts'
import type { Act, Acting } from '../acting.ts'
import type { Asking, Consent } from './asking.ts'

/** A call that waits for a yes. Nothing of it was done. */
export interface Waiting {
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

/**
 * What becomes of a call that was decided: the same, when no rule asks; else it waits, or it is done since its moment brings the yes.
 * @throws {TreeosError} FORBIDDEN for a yes that no longer holds, and for a rule that asks nobody else than who makes the call
 */
export async function withConsent<Decided extends { readonly kind: string }>(
  call: VerbCall,
  at: Acting,
  { asked, listed }: Pick<Consent, 'asked' | 'listed'>,
  decided: Decided,
): Promise<Decided | Waiting> {
  const { asking } = at
  if (asking?.approval == null) {
    const open = await stillAsked(at, asked)
    if (open.length === 0) return decided
    if (isDone(decided)) throw tooLate(open)
    const waits = await waiting(call, at, { asking: requireAsking(asking), rules: open, asked })
    return { ...waits, by: [listed, ...waits.by] }
  }
  const row = await at.reader.approval(asking.approval)
  await requireYes(call, at, { row, asking, asked })
  if (row === null || decided.kind !== 'act') return decided
  const { facts, by } = decided as unknown as Act
  const used: FactDraft = {
    reel: approvalReel(row.id),
    kind: 'approval:used',
    payload: { moment: at.moment },
  }
  const yes = row.given.map((one) => `approval ${row.id}: ${stanceOf(one.by)}`)
  return { ...decided, facts: [...facts, used], by: [...by, ...yes] }
}

/** Whether something was done outside already. */
const isDone = (decided: { readonly kind: string }): boolean =>
  decided.kind === 'act' && (decided as unknown as Act).isDoneOutside === true

/** A rule began to ask while the effect ran, as one may begin to refuse. */
const tooLate = ([first]: readonly AskedOf[]): TreeosError => {
  const by = first?.by ?? ''
  return new TreeosError('FORBIDDEN', `not granted by ${by}: it asks since the effect was done`, {
    answer: 'ask',
    by,
  })
}

const requireAsking = (asking: Asking | null): Asking => {
  if (asking !== null) return asking
  throw new TreeosError('INTERNAL', 'a look outside of a moment was asked about')
}

/** The rules that ask, with the persons that they ask: without those that the person who makes the call answers by making it. */
async function stillAsked(at: Acting, asked: readonly AskedRules[]): Promise<AskedOf[]> {
  const { me, driver, caller } = at
  const isPerson = caller.cognition === 'human' && driver === null
  const rules = await rulesOf(at, asked)
  const own = await ownPersons(
    at,
    rules.flatMap(({ who }) => who),
  )
  return rules
    .filter(({ who, count }) => !(isPerson && count === 1 && who.includes(me.name)))
    .map(({ by, who, count }) => {
      const others = who.filter((name) => !own.has(name))
      if (others.length >= count) return { by, who: others, count }
      const whom = others.length === 0 ? 'nobody else' : others.map(stanceOf).join(' and ')
      throw new TreeosError(
        'FORBIDDEN',
        `not granted by ${by}: it asks for the yes of ${count}, and there is ${whom} to ask beside ${stanceOf(me.name)}`,
        { answer: 'ask', by, stance: stanceOf(me.name) },
      )
    })
}

/** Of persons, who makes the call or drives who makes it, and whom one of them made: nobody says yes to itself by another name. */
async function ownPersons(
  { reader, me, driver }: Acting,
  persons: readonly BeingName[],
): Promise<ReadonlySet<BeingName>> {
  const hands = [me.name, ...(driver === null ? [] : [driver])]
  const own = new Set<BeingName>(hands)
  for (const person of persons)
    for (const maker of await reader.lineage(person))
      if (maker.parent !== null && hands.includes(maker.name)) own.add(person) // the operator made everybody
  return own
}

/** All rules that ask, with the persons that they name. */
async function rulesOf({ reader, me }: Acting, asked: readonly AskedRules[]): Promise<AskedOf[]> {
  const rules: AskedOf[] = []
  for (const { asks, question } of asked)
    for (const { ask, by, place } of asks) {
      const who = new Set<BeingName>()
      for (const word of ask.who)
        for (const name of await namedBy(reader, me, { question, place }, word)) {
          const person = await personOf(reader, name)
          if (person !== null) who.add(person)
        }
      rules.push({ by, who: [...who].sort(), count: ask.count })
    }
  return rules
}

async function namedBy(
  reader: WorldReader,
  me: BeingRow,
  {
    question: { target },
    place,
  }: { readonly question: AskedRules['question']; readonly place: SpacePath | null },
  word: string,
): Promise<readonly BeingName[]> {
  const space = await reader.space(place ?? target.space)
  const owner = place === null ? (target.owner ?? space?.owner) : space?.owner
  switch (word) {
    case 'operator':
      return [(await reader.lineage(me.name)).at(-1)?.name ?? me.name]
    case 'parent':
      return [me.parent ?? me.name]
    case 'owner':
      return [owner ?? (await reader.lineage(me.name)).at(-1)?.name ?? me.name]
    case 'contributor':
      return space?.contributors ?? []
    default:
      return [word.slice(1)]
  }
}

/** The person that answers for a being: itself, or the nearest person among its makers. Null for one that is not there. */
async function personOf(reader: WorldReader, name: BeingName): Promise<BeingName | null> {
  const being = await reader.being(name)
  if (being === null) return null
  const line = [being, ...(await reader.lineage(name))]
  return line.find(({ cognition, ended }) => cognition.kind === 'human' && ended === undefined)?.name ?? null
}

async function tiesOf(
  call: VerbCall,
  at: Acting,
  asking: Asking,
  asked: readonly AskedRules[],
): Promise<Ties> {
  const { digest, reader, me } = at
  const rests = asked.map((one) => one.rests)
  return {
    call: digest(asJson(call)),
    roles: digest(asJson(asking.stack)),
    ceilings: digest(asJson(await ceilingsOf(reader, me))),
    rules: digest(asJson({ rests, who: await rulesOf(at, asked) })),
    lease: digest(asJson(asking.lease)),
    operation: operationOf(call, at),
  }
}

/** The operation of a call as the loaded code describes it. */
function operationOf(call: VerbCall, { registry, digest }: Acting): Ties['operation'] {
  const operation =
    call.verb === 'do'
      ? registry.operations.get(call.action)
      : call.verb === 'be'
        ? registry.beOperations.get(call.operation)
        : undefined
  if (operation === undefined) return null
  const { name, description, targets, allow, args, schema = null, ask = null, effect } = operation
  return digest(
    asJson({ name, description, targets, allow, args, schema, ask, hasEffect: effect !== undefined }),
  )
}

const rolesIn = ({ primary, stacked }: PinnedStack): RoleName[] =>
  [primary, ...stacked].map(({ name }) => name)

async function waiting(
  call: VerbCall,
  at: Acting,
  {
    asking,
    rules,
    asked,
  }: { readonly asking: Asking; readonly rules: readonly AskedOf[]; readonly asked: readonly AskedRules[] },
): Promise<Waiting> {
  const { moment: id, openedAt, me, reader } = at
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
    why: `it waits for the yes of ${who.map(stanceOf).join(' or ')}, whom ${told.rule} asks: treeos approve ${id}, or treeos deny ${id}`,
    by: rules.map(({ by }) => by),
    person: row.person,
  }
}

/** What the first rule was asked about. */
function targetIn([first]: readonly AskedRules[]): string {
  const { being, space } = first?.question.target ?? { being: null, space: '' }
  return being === null ? space : stanceOf(being.name)
}

const WHAT_CHANGED: Readonly<Record<keyof Ties, string>> = {
  call: 'the call is not the one',
  roles: 'the roles that it wears are not those',
  ceilings: 'its ceilings are not those',
  rules: 'the rules of the place are not those',
  lease: 'the lease is not the one',
  operation: 'the code of the operation is not the one',
}

/** @throws {TreeosError} FORBIDDEN unless the yes that the moment brings is to this call, as it is decided now */
async function requireYes(
  call: VerbCall,
  at: Acting,
  {
    row,
    asking,
    asked,
  }: {
    readonly row: ApprovalRow | null
    readonly asking: Asking
    readonly asked: readonly AskedRules[]
  },
): Promise<void> {
  const isOwn = row !== null && row.asker === at.me.name && row.state === 'given'
  if (!isOwn) throw voided(asking.approval, `it is ${row?.state ?? 'not there'}, and a yes is used once`)
  if (at.openedAt > yesHoldsUntil(row)) throw voided(row.id, 'it came too long ago')
  const now = await tiesOf(call, at, asking, asked)
  for (const [tie, what] of Object.entries(WHAT_CHANGED) as [keyof Ties, string][])
    if (now[tie] !== row.ties[tie]) throw voided(row.id, `${what} that it was given for`)
}

const voided = (id: MomentId | null, why: string): TreeosError =>
  new TreeosError('FORBIDDEN', `the yes ${id ?? ''} does not hold: ${why}`, {
    answer: 'ask',
    by: `approval ${id ?? ''}`,
  })

/** The fact that a yes is over without an act. */
export const voidedFact = (id: MomentId, why: { readonly code: string }): FactDraft => ({
  reel: approvalReel(id),
  kind: 'approval:voided',
  payload: { code: why.code },
})

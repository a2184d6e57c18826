import {
  type BeingName,
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type MomentId,
  parseStance,
  readPath,
  type VerbCall,
} from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { listRecentCalls, readRows } from '@treeos/store'
import { type ApprovalRow, approvalKey, spaceKey } from '@treeos/world'
import { type ApprovalView, approvals, approvalsPage } from './approvals.ts'

/** So many times a person said yes to calls like one that waits: it may want to be asked less. */
const ALIKE_MIN = 12
/** Older answers of a person are not looked at. */
const ANSWERS_MAX = 500
const DAY_MS = 86_400_000

/** A rule that would have let through what a person approved, and asks beyond it. */
export interface Proposal {
  /** how many calls like this one the person approved that were carried out, and it denied none */
  readonly approved: number
  readonly space: string
  /** of the rule, in the qualities of the space, as `treeos space set` takes it */
  readonly field: string
  readonly value: Json
  /**
   * arguments of any of these calls that the rule does not bound, since not all of them have a number there
   */
  readonly free: readonly string[]
}

export interface ProposedView extends ApprovalView {
  readonly likeThis?: Proposal
  /** the newest equal calls that the person approved and that were carried out; left out for none */
  readonly done?: readonly DoneBefore[]
}

/** A call that a person approved, and that was carried out. */
export interface DoneBefore {
  /** the moment that asked */
  readonly id: MomentId
  /** when it asked: ISO 8601, UTC */
  readonly at: string
}

const DONE_MAX = 3

/**
 * Calls that wait for a person, each with a rule that would ask less, where the person said yes to many like
 * it: of the same being, by the same rule, to the same operation. Nothing is changed: who may set the rule
 * does so.
 */
export async function withProposals(
  at: Presence,
  as: BeingName,
  waiting: readonly ApprovalView[],
): Promise<ProposedView[]> {
  if (waiting.length === 0) return []
  const answers = await answersOf(at, as)
  return Promise.all(
    waiting.map(async (view) => {
      const alike = answers.filter((one) => isAlike(one.row, view))
      const proposal = await proposalFor(at, view, alike)
      const done = doneBefore(view, answers)
      return {
        ...view,
        ...(proposal === null ? {} : { likeThis: proposal }),
        ...(done.length === 0 ? {} : { done }),
      }
    }),
  )
}

/** Equal calls, of whichever being, that the person approved before: somebody may ask for the same twice. */
export const doneBefore = (
  { call }: Pick<ApprovalView, 'call'>,
  answers: readonly { readonly row: Pick<ApprovalRow, 'id' | 'call' | 'at'>; readonly isYes: boolean }[],
): DoneBefore[] =>
  answers
    .filter(({ row, isYes }) => isYes && canonicalJson(row.call as unknown as Json) === canonicalJson(call))
    .map(({ row: { id, at } }) => ({ id, at: new Date(at).toISOString() }))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, DONE_MAX)

/** A page of what waits for a person, with such rules. @throws {TreeosError} as {@link approvalsPage} */
export async function proposedPage(
  at: Presence,
  as: BeingName,
  which: Parameters<typeof approvalsPage>[2],
): Promise<{ readonly items: ProposedView[]; readonly next: string | null }> {
  const { items, next } = await approvalsPage(at, as, which)
  return { items: await withProposals(at, as, items), next }
}

/** A rule that asks less, and the calls that it was made from. */
interface ProposedFrom extends Proposal {
  readonly being: BeingName
  /** the moments that asked what the person approved, oldest first */
  readonly moments: readonly { readonly id: MomentId; readonly n: number }[]
}

/**
 * The rule that is shown beside one call that waits for a person; null where none is.
 * @throws {TreeosError} as {@link approvals}
 */
export async function proposalWith(at: Presence, as: BeingName, id: string): Promise<ProposedFrom | null> {
  const view = (await approvals(at, as)).find((one) => one.id === id)
  if (view === undefined) return null
  const alike = (await answersOf(at, as)).filter((one) => isAlike(one.row, view))
  const proposal = await proposalFor(at, view, alike)
  const moments = alike.map(({ row }) => ({ id: row.id, n: Number(row.id.split('/').at(-1)) }))
  moments.sort((a, b) => a.n - b.n)
  return proposal === null ? null : { ...proposal, being: parseStance(view.from), moments }
}

interface PersonAnswer {
  readonly row: ApprovalRow
  readonly isYes: boolean
}

/**
 * The last answers of a person that changed no arguments, one a call: what was denied, and what was carried
 * out after its yes. A yes that came to nothing, as it was late or refused, says nothing.
 */
async function answersOf(at: Presence, as: BeingName): Promise<PersonAnswer[]> {
  const calls = (await listRecentCalls(at.db, [as], ANSWERS_MAX)).flatMap(({ decision }) =>
    decision.kind === 'call' ? [decision.call] : [],
  )
  const told = calls.flatMap((call) => {
    const isAnswer = call.verb === 'do' && (call.operation === 'approve' || call.operation === 'deny')
    const id = isAnswer && call.args.args === undefined ? call.args.id : null
    return isAnswer && typeof id === 'string'
      ? [{ id: id.split('/').slice(0, 3).join('/'), isYes: call.operation === 'approve' }]
      : []
  })
  const rows = await readRows(at.db, at.reality.id, [...new Set(told.map(({ id }) => approvalKey(id)))])
  const answered = new Map<string, boolean>(told.map(({ id, isYes }) => [approvalKey(id), isYes]))
  return rows.flatMap(({ key, state }) => {
    const row = state as unknown as ApprovalRow | null
    const isYes = answered.get(key) === true
    return row === null || row.state !== (isYes ? 'used' : 'denied') ? [] : [{ row, isYes }]
  })
}

const actOf = (call: Json | VerbCall): string => {
  const { verb, operation, target } = call as JsonObject
  return canonicalJson([verb ?? null, operation ?? target ?? null])
}

const isAlike = ({ asker, call, rules }: ApprovalRow, view: ApprovalView): boolean =>
  `@${asker}` === view.from &&
  rules.length === 1 &&
  rules[0]?.by === view.rule &&
  actOf(call) === actOf(view.call)

async function proposalFor(
  at: Presence,
  view: ApprovalView,
  alike: readonly PersonAnswer[],
): Promise<Proposal | null> {
  const [, space, verb, key] = /^(\/\S*) permissions\.([a-z]+)\.(.+)$/.exec(view.rule) ?? []
  if (alike.length < ALIKE_MIN || alike.some(({ isYes }) => !isYes)) return null
  if (space === undefined || verb === undefined || key === undefined) return null
  const [row] = await readRows(at.db, at.reality.id, [spaceKey(space)])
  const rule = readPath(row?.state ?? null, ['qualities', 'permissions', verb, key])
  if (!isJsonObject(rule) || !isJsonObject(rule.ask) || rule.ask.beyond !== undefined) return null
  const beyond = countsOver(alike.map((one) => one.row))
  const asking = { ...rule, ask: { ...rule.ask, beyond: beyond as Json } }
  const calls = [view.call as unknown as VerbCall, ...alike.map(({ row }) => row.call)]
  const names = new Set(calls.flatMap((call) => Object.keys(proposedArguments(call))))
  const free = [...names].filter((name) => !beyond.some(({ each }) => each === name)).sort()
  return { approved: alike.length, space, field: `permissions.${verb}`, value: { [key]: asking }, free }
}

const proposedArguments = (call: VerbCall): JsonObject =>
  call.verb === 'do' || call.verb === 'be' ? call.args : {}

/**
 * As many in a day as were approved on average, so that one busy hour sets no bound, and no argument above
 * what was approved.
 */
export function countsOver(rows: readonly Pick<ApprovalRow, 'at' | 'call'>[]): JsonObject[] {
  const times = rows.map(({ at }) => at)
  const days = Math.ceil((Math.max(...times) - Math.min(...times)) / DAY_MS)
  const most = Math.ceil(rows.length / Math.max(1, days))
  const args = rows.map(({ call }) => proposedArguments(call))
  const names = Object.keys(args[0] ?? {}).filter((name) =>
    args.every((one) => typeof one[name] === 'number' && Number(one[name]) >= 0),
  )
  const each = names
    .sort()
    .map((name) => ({ each: name, most: Math.max(...args.map((one) => Number(one[name]))) }))
  return [{ most, per: ['being'], within: DAY_MS / 1000 }, ...each].slice(0, 8)
}

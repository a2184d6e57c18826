import {
  approvalReel,
  asJson,
  classOfThrown,
  type ErrorCode,
  type JsonObject,
  quote,
  readThrown,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { approversOf, askedEntry, given, hasGiven, shownId, withArguments } from '../rows/approvals.ts'
import type { ApprovalRow } from '../rows/rows.ts'
import { needed, OBJECT, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'

/** Longer reasons are refused. */
const WHY_CHARS_MAX = 1000

const ANSWERS = 'only a person says yes or no to what waits'

const approve = defineBuiltIn({
  name: 'approve',
  inPerson: ANSWERS,
  description:
    'Says yes to a call that a rule asks a person about; with other arguments it becomes another call.',
  targets: ['being'],
  allow: ['self'], // decide() requires that the actor is asked; spaces have no say
  takes: {
    id: needed(TEXT, 'of what waits, as the inbox says it'),
    args: optional(OBJECT, 'arguments in place of those that were asked about', {
      right: 'an object of arguments',
    }),
  },
  async decide(input, of): Promise<DecidedOperation> {
    const row = await requireAsked(of, input)
    const { actor, digest, openedAt } = input
    const args = of.value('args') as JsonObject | undefined
    const call = args === undefined ? row.call : withArguments(row.call, args)
    if (call === null) throw of.fault('args', args, 'nothing: only do and be have arguments')
    if (args !== undefined) await requireFitting(row, args, input)
    const payload = { call: asJson(call), digest: digest(asJson(call)) }
    const reel = approvalReel(row.id)
    const fact = { reel, kind: 'approval:given', payload }
    const after = given(row, { ...fact, actor: actor.name, at: openedAt })
    const isChanged = after.revision !== row.revision
    const waitsFor = after.state === 'given' ? [] : approversOf(row).filter((name) => !hasGiven(after, name))
    return {
      facts: [fact],
      result: { approval: row.id, id: shownId(after), state: after.state, waitsFor: waitsFor.map(stanceOf) },
      closes: isChanged || after.state === 'given' ? entriesOf(row) : [askedEntry(row, actor.name)],
      ...(isChanged && after.state === 'open' ? { asksAgain: after } : {}),
      ...(after.state === 'given'
        ? { resumes: { row: after, event: 'approved', by: actor.name } as const }
        : {}),
    }
  },
})

/** Codes of what is wrong with arguments. */
const ARGUMENT_FAULTS: readonly ErrorCode[] = ['INVALID_INPUT', 'ADDRESS_PARSE_ERROR', 'PAYLOAD_TOO_LARGE']

/**
 * A yes to arguments that the operation does not take would be used up by a call that fails. Those of an
 * extension are checked by its code, so anything else that throws is not a fault of the person's.
 * @throws {TreeosError} one of the codes above
 */
async function requireFitting(
  row: ApprovalRow,
  args: JsonObject,
  { known: { operations } }: DecideInput,
): Promise<void> {
  const { call } = row
  const called =
    call.verb === 'do'
      ? operations.do.get(call.operation)
      : call.verb === 'be'
        ? operations.be.get(call.operation)
        : undefined
  try {
    await called?.requireArgs?.(structuredClone(args))
  } catch (error) {
    const fault = readThrown(
      () => (error instanceof TreeosError && ARGUMENT_FAULTS.includes(error.code) ? error : null),
      null,
    )
    throw fault !== null
      ? new TreeosError(fault.code, `${fault.message}; ${shownId(row)} still waits`)
      : new TreeosError('INTERNAL', `checking the arguments threw ${classOfThrown(error)}`, undefined, {
          cause: error,
        })
  }
}

const deny = defineBuiltIn({
  name: 'deny',
  inPerson: ANSWERS,
  description: 'Says no to a call that a rule asks a person about.',
  targets: ['being'],
  allow: ['self'],
  takes: {
    id: needed(TEXT, 'of what waits, as the inbox says it'),
    why: optional(TEXT, 'for whoever asked', {
      right: `at most ${WHY_CHARS_MAX} characters`,
      isRight: (why) => String(why).length <= WHY_CHARS_MAX,
    }),
  },
  async decide(input, of): Promise<DecidedOperation> {
    const row = await requireAsked(of, input)
    const why = of.optionalText('why')
    const told: { why?: string } = why === null ? {} : { why }
    return {
      facts: [{ reel: approvalReel(row.id), kind: 'approval:denied', payload: { ...told } }],
      result: { approval: row.id, state: 'denied' },
      closes: entriesOf(row),
      resumes: { row, event: 'denied', by: input.actor.name, ...told },
    }
  },
})

/** The entries in the inboxes of all that are asked. */
const entriesOf = (row: ApprovalRow): string[] => approversOf(row).map((name) => askedEntry(row, name))

/**
 * What waits for the yes of the actor.
 * @throws {TreeosError} FORBIDDEN, CORRELATION_NOT_FOUND, RESOURCE_CONFLICT when it is answered, used or too
 *   late
 */
async function requireAsked(of: Arguments, input: DecideInput): Promise<ApprovalRow> {
  const { actor, world, openedAt } = input
  const id = of.text('id')
  const [being, generation, n, revision = '1', ...more] = id.split('/')
  const row = more.length > 0 ? null : await world.approval(`${being}/${generation}/${n}`)
  if (row === null)
    throw new TreeosError('CORRELATION_NOT_FOUND', `nothing that waits has the id ${quote(id)}`)
  const { state, expiresAt } = row
  const who = approversOf(row)
  if (!who.includes(actor.name))
    throw new TreeosError(
      'FORBIDDEN',
      `${id} waits for ${who.map(stanceOf).join(' or ')}, and not for ${stanceOf(actor.name)}`,
    )
  if (state !== 'open')
    throw new TreeosError('RESOURCE_CONFLICT', `${id} is ${state} already${whyClosed(row)}`)
  if (openedAt >= expiresAt)
    throw new TreeosError('RESOURCE_CONFLICT', `${id} waited until ${new Date(expiresAt).toISOString()}`)
  if (String(row.revision) !== revision)
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `${id} was changed since: the call that waits now is ${shownId(row)}`,
    )
  if (hasGiven(row, actor.name))
    throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(actor.name)} said yes to ${id} already`)
  return row
}

/** What became of a call to which the yes was given. */
function whyClosed({ state, asker }: ApprovalRow): string {
  const being = stanceOf(asker)
  if (state === 'given') return `: ${being} is about to do the call`
  if (state === 'used') return ': the call was done'
  if (state !== 'voided') return ''
  return `: the yes was given, and then the call failed. The newest moments of ${being} show why, and ${being} may ask again`
}

export const approvingOperations = [approve, deny] as const

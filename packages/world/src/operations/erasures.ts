import {
  beingReel,
  FACT_ERASED,
  type HOLD_LIFTED,
  type HOLD_SET,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  MOMENT_ERASED,
  matterReel,
  parseMomentId,
  quote,
  type ReelId,
  ROOT_SPACE,
  spaceReel,
  TreeosError,
} from '@treeos/core'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { OPERATOR } from '../extend/substrate.ts'
import { type OperationTarget, targetName, targetReel, targetRow } from '../read/target.ts'
import { needed, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { requireOwnAct } from './own-act.ts'

const WHY_LENGTH_MAX = 500
const HASH = /^[0-9a-f]{64}$/
const MOMENT = /^[^/]+\/[1-9][0-9]*\/[1-9][0-9]*$/

const FACT_RIGHT = '{reel, seq, hash} of a fact of the target'
const MOMENT_RIGHT = 'the id of a moment of the target being, as in ann/1/3'

const isReason = (why: Json): boolean =>
  typeof why === 'string' && why.length <= WHY_LENGTH_MAX && why.isWellFormed() && !why.includes('\0')

const REASON = needed(TEXT, `the reason, at most ${WHY_LENGTH_MAX} characters`, {
  right: `a text of at most ${WHY_LENGTH_MAX} characters`,
  isRight: isReason,
})

const erase = defineBuiltIn({
  name: 'erase',
  description:
    'Erases what a fact says, or what a moment decided and asked of the outside. That it was erased, by whom and why stays.',
  targets: ['being', 'space', 'matter'],
  allow: ['operator'],
  inPerson: 'only the operator erases',
  takes: {
    fact: optional(
      {
        type: 'object',
        properties: { reel: TEXT, seq: { type: 'integer' }, hash: TEXT },
        required: ['reel', 'seq', 'hash'],
        additionalProperties: false,
      },
      'the fact, as {reel, seq, hash}: of the target; of the root also facts of signals, roles and threads',
      { right: FACT_RIGHT },
    ),
    moment: optional(TEXT, 'instead of a fact: the id of a finished moment of the target being', {
      right: MOMENT_RIGHT,
      isRight: (moment) => MOMENT.test(String(moment)),
    }),
    why: REASON,
  },
  async decide({ actor, target, world }, given): Promise<DecidedOperation> {
    // No rule of a space gives this away.
    if (actor.name !== OPERATOR) throw new TreeosError('FORBIDDEN', 'only the operator erases, in person')
    const why = given.text('why')
    const fact = given.value('fact')
    const moment = given.value('moment')
    if ((fact === undefined) === (moment === undefined))
      throw new TreeosError('INVALID_INPUT', 'erase takes either a fact or a moment')
    if (fact !== undefined) {
      const { reel, seq, hash } = factIn(given, fact, target)
      await requireNoHold(target, world)
      return {
        facts: [{ reel, kind: FACT_ERASED, payload: { seq, hash, why } }],
        result: { fact: { reel, seq, hash } },
      }
    }
    if (target.kind !== 'being' || typeof moment !== 'string')
      throw given.fault('moment', moment, MOMENT_RIGHT)
    const { name } = target.being
    if (parseMomentId(moment).being !== name) throw given.fault('moment', moment, `a moment of @${name}`)
    await requireNoHold(target, world)
    return {
      facts: [{ reel: beingReel(name), kind: MOMENT_ERASED, payload: { moment, why } }],
      result: { moment },
    }
  },
})

function factIn(given: Arguments, fact: Json, target: OperationTarget) {
  const { reel, seq, hash } = isJsonObject(fact) ? fact : ({} as JsonObject)
  const isWhole =
    typeof reel === 'string' && typeof hash === 'string' && HASH.test(hash) && Number.isSafeInteger(seq)
  if (!isWhole || !isReelOf(target, reel)) throw given.fault('fact', fact, FACT_RIGHT)
  return { reel, seq: seq as number, hash }
}

/** Facts that are of no being, space or thing are of the whole reality. */
function isReelOf(target: OperationTarget, reel: ReelId): boolean {
  if (target.kind === 'being') return reel === beingReel(target.being.name)
  if (target.kind === 'matter') return reel === matterReel(target.matter.id)
  if (target.kind !== 'space') return false
  if (reel === spaceReel(target.space.path)) return true
  return target.space.path === ROOT_SPACE && !/^(being|space|matter):/.test(reel)
}

/** Of holds on others whom a fact or a moment concerns, what is stored knows: `hold-over.sql`. */
async function requireNoHold(target: OperationTarget, world: DecideInput['world']): Promise<void> {
  const root = await world.space(ROOT_SPACE)
  for (const [on, row] of [
    [targetName(target), targetRow(target)],
    [ROOT_SPACE, root],
  ] as const)
    for (const name of Object.keys(row?.holds ?? {}).sort())
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${on} is under the hold ${quote(name)}: nothing of it is erased`,
      )
}

const HOLDS = 'only the operator sets and lifts holds'

const HOLD_ARGUMENTS = {
  name: needed(TEXT, 'of the hold: kebab-case', {
    right: 'one kebab-case word, as in case-2027-4',
    isRight: (name: Json) => typeof name === 'string' && isKey(name),
  }),
  why: REASON,
}

const setHold = defineBuiltIn({
  name: 'set-hold',
  wordless: true,
  description:
    'Puts a legal hold on the target: nothing of it can be erased until it is lifted. On a being it covers all that concerns it, on / all of the reality.',
  targets: ['being', 'space', 'matter'],
  allow: ['operator'],
  takes: HOLD_ARGUMENTS,
  decide(input, given) {
    requireOwnAct(input, HOLDS) // a program of the operator may set one: that takes nothing away
    const { name, on, isOn } = holdIn(input, given)
    if (isOn) throw new TreeosError('RESOURCE_CONFLICT', `${on} is under the hold ${quote(name)} already`)
    return holdChange(input, 'hold:set', given)
  },
})

const liftHold = defineBuiltIn({
  name: 'lift-hold',
  inPerson: HOLDS,
  description: 'Lifts a legal hold from the target.',
  targets: ['being', 'space', 'matter'],
  allow: ['operator'],
  takes: HOLD_ARGUMENTS,
  decide(input, given) {
    const { name, on, isOn } = holdIn(input, given)
    if (!isOn) throw new TreeosError('RESOURCE_CONFLICT', `${on} is not under a hold ${quote(name)}`)
    return holdChange(input, 'hold:lifted', given)
  },
})

/** @throws {TreeosError} FORBIDDEN: no rule of a space gives this away */
function holdIn(input: DecideInput, given: Arguments) {
  if (input.actor.name !== OPERATOR) throw new TreeosError('FORBIDDEN', HOLDS)
  const name = given.text('name')
  const isOn = Object.hasOwn(targetRow(input.target).holds ?? {}, name)
  return { name, on: targetName(input.target), isOn }
}

function holdChange(
  { target }: DecideInput,
  kind: typeof HOLD_SET | typeof HOLD_LIFTED,
  given: Arguments,
): DecidedOperation {
  const payload = { name: given.text('name'), why: given.text('why') }
  return {
    facts: [{ reel: targetReel(target), kind, payload }],
    result: { on: targetName(target), ...payload },
  }
}

export const erasingOperations = [erase] as const
export const holdOperations = [setHold, liftHold] as const

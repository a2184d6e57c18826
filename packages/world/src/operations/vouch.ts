import {
  asJson,
  type FactDraft,
  isJsonObject,
  REGISTRY_REEL,
  readPath,
  requireRoleName,
  stanceOf,
  TreeosError,
  worldReel,
} from '@treeos/core'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { isRoot, targetName, targetReel, targetRow } from '../read/target.ts'
import { isMarked, originFact, VOUCHED } from '../rows/origin.ts'
import { type Row, roleKey, worldKey } from '../rows/rows.ts'
import { needed, ofText, optional, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'

const vouch = defineBuiltIn({
  name: 'vouch',
  inPerson: 'only a person marks as trusted',
  description:
    'Vouches for what was written there in moments with words from outside, if it still is what was seen: it counts as the world’s own again.',
  targets: ['being', 'space', 'matter'],
  allow: ['self', 'ancestor', 'owner', 'operator'],
  takes: {
    seen: needed(TEXT, 'what was seen there: the `seen` that SEE shows of it'),
    role: optional(TEXT, 'of the root, instead of the root itself: the name of a role', {
      parse: ofText(requireRoleName),
    }),
    namespace: optional(TEXT, 'of the root, instead of the root itself: a namespace of signals'),
  },
  async decide(input, given): Promise<DecidedOperation> {
    requireWholeAddress(input)
    const { fact, row, what } = await chosen(given, input)
    if (row === null || !isMarked(row))
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${what} holds nothing from outside that is not marked as trusted`,
      )
    if (given.text('seen') !== input.digest(asJson(row)))
      throw new TreeosError('RESOURCE_CONFLICT', `${what} is not what was seen: look at it again`)
    return { facts: [fact], result: { vouched: what } }
  },
})

/**
 * The act names what it marks as trusted by its whole address, so that the record can compare them.
 * @throws {TreeosError} INVALID_INPUT
 */
function requireWholeAddress(input: DecideInput): void {
  const content = isJsonObject(input.wake.content) ? input.wake.content : {}
  const name = targetName(input.target)
  if (readPath(content, ['call', 'target']) !== name)
    throw new TreeosError('INVALID_INPUT', `vouch: name it by its whole address, ${name}`)
}

interface FactToVouch {
  readonly fact: FactDraft
  readonly row: Row | null
  readonly what: string
}

async function chosen(given: Arguments, { target, actor, world }: DecideInput): Promise<FactToVouch> {
  const role = given.optionalText('role')
  const namespace = given.optionalText('namespace')
  if (role === null && namespace === null)
    return {
      fact: originFact(VOUCHED, { reel: targetReel(target) }),
      row: targetRow(target),
      what: targetName(target),
    }
  if (!isRoot(target) || (role !== null && namespace !== null))
    throw new TreeosError('INVALID_INPUT', 'vouch takes a role or a namespace of /')
  if (actor.parent !== null)
    throw new TreeosError(
      'FORBIDDEN',
      `only the operator marks roles and signals as trusted, not ${stanceOf(actor.name)}`,
    )
  if (role !== null) {
    const name = requireRoleName(role)
    const fact = originFact(VOUCHED, { reel: REGISTRY_REEL, name })
    return { fact, row: await world.row(roleKey(name)), what: `role ${name}` }
  }
  const name = given.text('namespace')
  return {
    fact: originFact(VOUCHED, { reel: worldReel(name) }),
    row: await world.row(worldKey(name)),
    what: `signals of ${name}`,
  }
}

export const vouchingOperations = [vouch] as const

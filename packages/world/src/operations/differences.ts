import { beingReel, type Json, stanceOf, TreeosError } from '@treeos/core'
import type { DecidedOperation } from '../extend/extension.ts'
import { needed, optional, TEXT } from './argument-forms.ts'
import { defineBuiltIn } from './define-built-in.ts'

const MOMENT = /^[^/]+\/[1-9][0-9]*\/[1-9][0-9]*$/
const DIGEST = /^[0-9a-f]{64}$/

const digest = (about: string) =>
  optional(TEXT, `${about}; left out where it has none`, {
    right: 'the digest of a stack, 64 hex digits',
    isRight: (value: Json) => DIGEST.test(String(value)),
  })

const acceptDifference = defineBuiltIn({
  name: 'accept-difference',
  inPerson: 'only a person accepts a difference',
  description:
    'Accepts that the record of a moment of the target being has another stack than its workflow gives: the being goes on after it.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  takes: {
    moment: needed(TEXT, 'the id of the moment, as its run and doctor name it', {
      right: 'the id of a moment of the target being, as in ann/1/3',
      isRight: (value: Json) => MOMENT.test(String(value)),
    }),
    recorded: digest('digest of the stack in its record'),
    given: digest('digest of the stack that its workflow gives'),
  },
  decide(input, given): DecidedOperation {
    const { target } = input
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'accept-difference takes a being')
    const { name } = target.being
    const moment = given.text('moment')
    if (!moment.startsWith(`${name}/`)) throw given.fault('moment', moment, `a moment of ${stanceOf(name)}`)
    const digests = { recorded: given.optionalText('recorded'), given: given.optionalText('given') }
    // Two moments without a stack may be skipped for different reasons.
    if (digests.recorded !== null && digests.recorded === digests.given)
      throw new TreeosError('INVALID_INPUT', 'accept-difference: recorded and given are the same stack')
    const payload = { moment, ...digests }
    return {
      facts: [{ reel: beingReel(name), kind: 'being:difference-accepted', payload }],
      result: { being: stanceOf(name), ...payload },
    }
  },
})

export const differenceOperations = [acceptDifference] as const

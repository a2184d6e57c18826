import { TreeosError } from '@treeos/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyFlow } from '../../test/arbitraries.ts'
import { isValid } from '../../test/json-schema.ts'
import { flowSchema, lintFlow, parseRole, roleSchema } from '../index.ts'

function isRole(input: unknown): boolean {
  try {
    parseRole(input)
    return true
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'INVALID_INPUT') return false
    throw error
  }
}

it('the schema of flows admits exactly what lint admits, sizes aside', { timeout: 60_000 }, () => {
  const seen = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(anyFlow, (generated) => {
      const flow: unknown = JSON.parse(JSON.stringify(generated) ?? 'null')
      const isFlow = lintFlow(flow).errors.every(({ message }) => /has at most|reads at most/.test(message))
      seen[isFlow ? 'valid' : 'invalid'] += 1
      if (isValid(flow, flowSchema) !== isFlow) expect(flow).toBe(isFlow ? 'valid' : 'invalid')
    }),
    { numRuns: 2000 },
  )
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(200)
})

const name = fc.constantFrom('worker', 'court:judge', 'Bad', '', 'a:b:c', '__proto__')
const junk = fc.constantFrom<unknown>(null, 7, 'x', true, [], {}, [[]], { function: 'x' })
const pattern = fc.constantFrom('*', '@*', '*x', '*x*', 'a/@b', '', ' ', '**', '* ', 'a*b', '***')
const entry = fc.oneof(
  fc.constantFrom('docket', ' ', '', 'a b', '@*', '*', ' * '),
  fc.record({ rel: name }),
  fc.record({ pattern }),
  fc.record({ resolver: name }),
  fc.record({ pattern, kind: fc.oneof(name, fc.constant(7)) }),
  fc.constantFrom<unknown>({ kind: 'a' }, { rel: 'a', kind: 'b' }),
  fc.constantFrom<unknown>({}, { rel: 'a', pattern: '*' }, { deny: 'x' }, 7, null, { rel: 7 }),
)
const mostly = (good: unknown, bad: fc.Arbitrary<unknown> = junk) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: bad })
const entries = fc.oneof(
  { weight: 3, arbitrary: fc.constant(['docket', { rel: 'parent' }, { pattern: '*' }]) },
  { weight: 1, arbitrary: fc.array(entry, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 256, 257).map((length) => new Array(length).fill('e')) },
)
const anyRole = fc.oneof(
  { weight: 1, arbitrary: junk },
  {
    weight: 20,
    arbitrary: fc.record(
      {
        name: mostly('worker', name),
        prompt: mostly(
          'You work.',
          fc.constantFrom<unknown>({ function: '@a/b@1.2.3-rc.1' }, { function: 'a@1' }, 7),
        ),
        canSee: mostly([], entries),
        canDo: mostly(['x'], entries),
        canSummon: mostly([{ rel: 'asker' }], entries),
        canBe: mostly([]),
        see: mostly(['grid'], fc.array(name, { maxLength: 2 })),
        triggerOn: mostly([], fc.array(name, { maxLength: 2 })),
        description: mostly('text'),
        requiredCognition: mostly('human'),
        selfContinue: mostly('until-answered'),
        steps: mostly(200, fc.constantFrom<unknown>(0, -1, 201, 1.5, '16', null)),
        forceToolCall: mostly(false),
        defaultOrientation: mostly('half'),
        respondMode: mostly('none'),
        prose: mostly('answers'),
        views: mostly('only'),
        layout: mostly('stable-first'),
      },
      { requiredKeys: ['name'] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom({ name: 'x', canDeny: [] }, { prompt: 'x' }) },
)

it('the schema of roles has the fields that parseRole knows', () => {
  let known = ''
  try {
    parseRole({ unknown: 1 })
  } catch (error) {
    known = /known are (.*)$/.exec((error as TreeosError).message)?.[1] ?? ''
  }
  expect(Object.keys(roleSchema.properties as object).sort()).toEqual(known.split(', ').sort())
})

it('the schema of roles admits exactly what parseRole admits, bytes aside', { timeout: 60_000 }, () => {
  const seen = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(anyRole, (role) => {
      const tooMany = Object.values(Object(role)).some((list) => Array.isArray(list) && list.length > 256)
      const isWanted = !tooMany && isRole(role)
      seen[isWanted ? 'valid' : 'invalid'] += 1
      if (isValid(role, roleSchema) !== isWanted) expect(role).toBe(isWanted ? 'valid' : 'invalid')
    }),
    { numRuns: 2000 },
  )
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(200)
})

import { expect, it } from 'vitest'
import { compileFlow, explainFlow, type FlowInput } from '../index.ts'

const roles = { worker: {}, judge: {}, alert: {}, 'for-humans': { requiredCognition: 'human' } } as const

function explain(flow: unknown, input: Partial<FlowInput> = {}) {
  return explainFlow(compileFlow(flow), { context: {}, cognition: 'llm', roles, ...input })
}

it('says of every clause whether it matched or was skipped, and why', () => {
  const flow = [
    { when: { 'world.x': { gtt: 1 } }, role: 'worker' },
    { role: 'ghost' },
    { role: 'for-humans' },
    { when: { 'time.hour': { gte: 9, lt: 17 } }, role: 'judge' },
    { when: { verb: 'do' }, role: 'worker' },
    { when: { verb: 'do' }, role: 'judge' },
    { when: { verb: 'be' }, role: 'judge' },
    { stack: true, role: 'alert' },
    { stack: true, role: 'alert' },
    { stack: true, when: { verb: 'be' }, role: 'alert' },
    7,
  ]
  const { clauses, ...outcome } = explain(flow, { context: { verb: 'do', time: { hour: 17 } } })
  expect(outcome).toEqual({ primary: 'worker', source: 'clause', stacked: ['alert'] })
  expect(clauses.map(({ result, reason }) => `${result}: ${reason}`)).toEqual([
    expect.stringMatching(/^malformed: \[0\]\.when\["world\.x"\]\.gtt: unknown operator "gtt"/),
    'skipped: role ghost is not registered',
    "skipped: role for-humans needs cognition human, the being's is llm",
    'no-match: time.hour is 17, wanted lt 17',
    'primary: its conditions hold',
    'shadowed: it matches, but clause 4 did before',
    'no-match: verb is "do", wanted eq "be"',
    'stacked: it has no condition',
    'repeated: it matches, but role alert is stacked already',
    'no-match: verb is "do", wanted eq "be"',
    expect.stringMatching(/^malformed: \[10\]: a clause is an object/),
  ])
  expect(clauses[10]).toMatchObject({ index: 10, role: null, stack: false, tree: null })
})

it('the tree holds every condition with what was expected and found, reached or not', () => {
  const when = {
    or: [{ verb: ['do', 'be'] }, { not: { 'space.quality': 'x' } }],
    'world.x': { present: false },
  }
  const context = { verb: 'do', space: { quality: { tone: 'quiet' } } }
  expect(explain([{ when, role: 'worker' }], { context }).clauses[0]!.tree).toEqual({
    operator: 'and',
    result: true,
    nodes: [
      {
        operator: 'or',
        result: true,
        nodes: [
          {
            operator: 'and',
            result: true,
            nodes: [{ path: 'verb', operator: 'in', expected: ['do', 'be'], actual: 'do', result: true }],
          },
          {
            operator: 'and',
            result: true,
            nodes: [
              {
                operator: 'not',
                result: true,
                nodes: [
                  {
                    operator: 'and',
                    result: false,
                    nodes: [
                      { path: 'space.quality', operator: 'eq', expected: 'x', actual: {}, result: false },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
      { path: 'world.x', operator: 'present', expected: false, result: true },
    ],
  })
})

it.each([
  [{ or: [{ verb: 'be' }] }, 'none of its 1 alternatives holds'],
  [{ not: {} }, 'what stands under not holds'],
  [{ and: [{}, { 'world.x': null }] }, 'world.x is missing, wanted eq null'],
])('the reason for no match of %j is: %s', (when, reason) => {
  expect(explain([{ when, role: 'worker' }]).clauses[0]!.reason).toBe(reason)
})

it('names where the primary comes from, and why a moment is skipped', () => {
  expect(explain([], { defaultRole: 'worker' })).toMatchObject({ primary: 'worker', source: 'default' })
  expect(explain([{ role: 'worker' }], { asked: 'worker' })).toMatchObject({
    source: 'asked',
    clauses: [{ result: 'shadowed', reason: 'it matches, but the wake asked for role worker' }],
  })
  expect(explain([])).toEqual({
    clauses: [],
    primary: null,
    source: null,
    stacked: [],
    skip: 'role-unresolved',
  })
})

it.each([
  ['being', 'hidden from the being'],
  ['reader', 'hidden from you'],
] as const)('of a place that is hidden from the %s it says so, and tells no value', (hidden, text) => {
  const when = { 'space.quality.ambient.tone': 'quiet', 'space.name': 'hall' }
  const context = { space: { name: 'hall', quality: { ambient: { tone: 'loud' } } } }
  const flow = compileFlow([{ when, role: 'worker' }])
  const { clauses } = explainFlow(flow, { context, cognition: 'llm', roles }, hidden)
  expect(clauses[0]?.reason).toBe(`space.quality.ambient.tone is ${text}, wanted eq "quiet"`)
  expect(JSON.stringify(clauses)).not.toMatch(/loud|missing/)
  expect(clauses[0]?.tree).toMatchObject({ nodes: [{ hidden }, { actual: 'hall' }] })
})

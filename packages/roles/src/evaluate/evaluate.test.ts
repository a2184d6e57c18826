import { describe, expect, it } from 'vitest'
import { compileFlow, evaluateFlow, type FlowInput, type RoleTable } from '../index.ts'

const ROLES: RoleTable = {
  friendly: {},
  dancer: {},
  judge: {},
  worker: {},
  'court-watcher': {},
  'human-conversationalist': { requiredCognition: 'human' },
  'emotions:bored': {},
  'emotions:alert': {},
}

function evaluate(flow: unknown, input: Partial<FlowInput> = {}) {
  return evaluateFlow(compileFlow(flow), { context: {}, cognition: 'llm', roles: ROLES, ...input })
}

const NO = { verb: 'never' } as const

describe('the first matching plain clause is primary', () => {
  it('later matches never replace it, wherever the stacked clauses are', () => {
    const flow = [
      { when: NO, role: 'judge' },
      { stack: true, role: 'emotions:alert' },
      { role: 'worker' },
      { role: 'dancer' },
    ]
    expect(evaluate(flow)).toEqual({ primary: 'worker', stacked: ['emotions:alert'] })
  })

  it('stack: false is a plain clause', () => {
    expect(evaluate([{ stack: false, role: 'worker' }])).toEqual({ primary: 'worker', stacked: [] })
  })
})

describe('unavailable roles are passed over', () => {
  it.each([
    ['human', 'human-conversationalist'],
    ['llm', 'worker'],
    ['scripted', 'worker'],
  ] as const)('a role that needs a human is worn under %s: %s', (cognition, primary) => {
    const flow = [{ role: 'human-conversationalist' }, { role: 'worker' }]
    expect(evaluate(flow, { cognition }).primary).toBe(primary)
  })

  it('a stacked role that needs another cognition drops out', () => {
    const flow = [{ role: 'worker' }, { stack: true, role: 'human-conversationalist' }]
    expect(evaluate(flow).stacked).toEqual([])
    expect(evaluate(flow, { cognition: 'human' }).stacked).toEqual(['human-conversationalist'])
  })

  it('an unregistered role drops out, and no property of Object counts as registered', () => {
    const flow = [
      { role: 'ghost' },
      { role: 'constructor' },
      { stack: true, role: 'ghost' },
      { role: 'worker' },
    ]
    expect(evaluate(flow)).toEqual({ primary: 'worker', stacked: [] })
  })

  it('a map of roles serves as well as an object', () => {
    const roles = new Map([['worker', { requiredCognition: 'llm' as const }]])
    expect(evaluate([{ role: 'judge' }, { role: 'worker' }], { roles }).primary).toBe('worker')
    expect(evaluate([{ role: 'worker' }], { roles, cognition: 'scripted' }).primary).toBe(null)
  })
})

describe('the default role is used when no plain clause applies', () => {
  it('it is primary when no plain clause survives, and is not filtered by cognition', () => {
    const flow = [{ when: NO, role: 'judge' }]
    expect(evaluate(flow, { defaultRole: 'worker' }).primary).toBe('worker')
    expect(evaluate(flow, { defaultRole: 'human-conversationalist' })).toEqual({
      primary: 'human-conversationalist',
      stacked: [],
    })
  })

  it('a being without a flow wears its default', () => {
    for (const flow of [[], null, undefined, {}, 'x']) {
      expect(evaluate(flow, { defaultRole: 'worker' })).toEqual({ primary: 'worker', stacked: [] })
    }
  })

  it('an unregistered default is named, and the moment is skipped', () => {
    expect(evaluate([], { defaultRole: 'ghost' })).toEqual({
      primary: 'ghost',
      stacked: [],
      skip: 'role-unavailable',
    })
  })
})

describe('every matching stacked clause is added', () => {
  it('in clause order, once each', () => {
    const flow = [
      { stack: true, role: 'emotions:bored' },
      { role: 'worker' },
      { stack: true, role: 'emotions:alert' },
      { stack: true, role: 'emotions:bored' },
      { stack: true, when: NO, role: 'dancer' },
    ]
    expect(evaluate(flow).stacked).toEqual(['emotions:bored', 'emotions:alert'])
  })

  it('a role is stacked by a later clause when an earlier one of it does not match', () => {
    const flow = [
      { stack: true, when: NO, role: 'dancer' },
      { stack: true, role: 'dancer' },
    ]
    expect(evaluate(flow, { defaultRole: 'worker' }).stacked).toEqual(['dancer'])
  })
})

describe('no primary at all', () => {
  it.each([null, undefined])('default %j: the moment is skipped as role-unresolved', (defaultRole) => {
    const flow = [
      { when: NO, role: 'judge' },
      { stack: true, role: 'dancer' },
    ]
    expect(evaluate(flow, { defaultRole })).toEqual({
      primary: null,
      stacked: ['dancer'],
      skip: 'role-unresolved',
    })
  })
})

describe('a wake that asks for a role', () => {
  const flow = [
    { role: 'worker' },
    { when: NO, role: 'judge' },
    { when: NO, role: 'human-conversationalist' },
    { stack: true, role: 'emotions:alert' },
    { when: { 'nowhere.x': 1 }, role: 'dancer' },
  ]

  it('gets it without any plain clause, with the modifiers', () => {
    expect(evaluate(flow, { asked: 'judge' })).toEqual({ primary: 'judge', stacked: ['emotions:alert'] })
  })

  it('gets a role that only the default names', () => {
    expect(evaluate(flow, { asked: 'friendly', defaultRole: 'friendly' }).primary).toBe('friendly')
  })

  it.each([
    ['friendly', 'no clause names it'],
    ['dancer', 'only a malformed clause names it'],
    ['ghost', 'nothing names it'],
    ['', 'it is not a name'],
  ])('is skipped when it asks for %j: %s', (asked) => {
    expect(evaluate(flow, { asked, defaultRole: 'worker' })).toEqual({
      primary: null,
      stacked: ['emotions:alert'],
      skip: 'role-not-named',
    })
  })

  it('is skipped when the role needs another cognition, even if it is the default', () => {
    const input = { asked: 'human-conversationalist', defaultRole: 'human-conversationalist' }
    expect(evaluate(flow, input)).toMatchObject({ skip: 'role-unavailable' })
    expect(evaluate(flow, { ...input, cognition: 'human' }).skip).toBeUndefined()
  })

  it('is skipped when the role is not registered', () => {
    expect(evaluate([{ role: 'ghost' }], { asked: 'ghost' })).toEqual({
      primary: 'ghost',
      stacked: [],
      skip: 'role-unavailable',
    })
  })
})

it('a compiled flow does not change when its source is edited', () => {
  const when = { 'world.x': { in: ['a'] } }
  const source = [{ when, role: 'worker' }]
  const compiled = compileFlow(source)
  when['world.x'].in.push('b')
  source[0]!.role = 'judge'
  const input = { context: { world: { x: 'b' } }, cognition: 'llm', roles: ROLES } as const
  expect(evaluateFlow(compiled, input).primary).toBe(null)
  expect(evaluateFlow(compiled, { ...input, context: { world: { x: 'a' } } }).primary).toBe('worker')
})

it('a flow is compiled only once', () => {
  const flow = [{ role: 'worker' }]
  expect(compileFlow(flow)).toBe(compileFlow(flow))
  expect(compileFlow([...flow])).not.toBe(compileFlow(flow))
})

it.each([
  ['compile', 20_000],
  ['evaluate', 1_000_000],
])('to %s one long flow takes about as long as ten a tenth of it', { timeout: 60_000 }, (what, work) => {
  const timeOf = (clauses: number) => {
    const flow = Array.from({ length: clauses }, (_, i) => ({
      stack: i % 2 === 0,
      when: { 'world.x': i % 7, 'world.y': { ne: 1 } },
      role: `role-${i % 50}`,
    }))
    const compiled = compileFlow(flow)
    const roles = Object.fromEntries(flow.map(({ role }) => [role, {}]))
    const input = { context: { world: { x: 1, y: 2 } }, cognition: 'llm', roles } as const
    const start = performance.now()
    for (let done = 0; done < work; done += clauses) {
      if (what === 'compile') compileFlow([...flow])
      else evaluateFlow(compiled, input)
    }
    return performance.now() - start
  }
  // Were it quadratic, each of these would come to about ten.
  const ratios = Array.from({ length: 5 }, () => timeOf(4000) / timeOf(400))
  expect(Math.min(...ratios)).toBeLessThan(5)
})

import { LIMITS, TreeosError } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { compileFlow, evaluateFlow, lintFlow, requireFlow } from '../index.ts'

const nested = (depth: number): object => (depth === 1 ? {} : { not: nested(depth - 1) })
const clause = (when: unknown) => [{ when, role: 'worker' }]
const MALFORMED: [string, RegExp, unknown][] = [
  ['[0]', /a clause is an object .* not 7/, [7]],
  ['[0]', /not null/, [null]],
  ['[0]', /not an array/, [[]]],
  ['[1]', /not "x"/, [{ role: 'worker' }, 'x']],
  ['[0].role', /undefined is not a role name/, [{}]],
  ['[0].role', /"Bad Name" is not a role name: kebab-case/, [{ role: 'Bad Name' }]],
  ['[0].role', /"a:b:c"/, [{ role: 'a:b:c' }]],
  ['[0].stack', /true or false, not 1/, [{ role: 'worker', stack: 1 }]],
  ['[0].stack', /not null/, [{ role: 'worker', stack: null }]],
  ['[0].whn', /unknown field; a clause has when, role and stack/, [{ role: 'worker', whn: {} }]],
  ['[0].__proto__', /unknown field/, JSON.parse('[{"role":"worker","__proto__":{}}]')],
  ['[0].when', /not null/, clause(null)],
  ['[0].when', /not true/, clause(true)],
  ['[0].when', /not an array/, clause([])],
  [
    '[0].when["court.in-session"]',
    /begins with "court"; one of verb, /,
    clause({ 'court.in-session': true }),
  ],
  ['[0].when[""]', /begins with ""/, clause({ '': 1 })],
  ['[0].when.__proto__', /begins with "__proto__"/, clause(JSON.parse('{"__proto__":1}'))],
  ['[0].when.constructor', /begins with "constructor"/, clause({ constructor: 1 })],
  ['[0].when["world."]', /empty part/, clause({ 'world.': 1 })],
  ['[0].when["world..x"]', /empty part/, clause({ 'world..x': 1 })],
  ['[0].when["time.hour"].gtt', /unknown operator "gtt"/, clause({ 'time.hour': { gtt: 9 } })],
  ['[0].when["time.hour"].gt', /gt takes a finite number, not "9"/, clause({ 'time.hour': { gt: '9' } })],
  ['[0].when["time.hour"].lt', /not null/, clause({ 'time.hour': { lt: null } })],
  ['[0].when["time.hour"].gte', /not NaN/, clause({ 'time.hour': { gte: Number.NaN } })],
  ['[0].when.verb.present', /present takes true or false, not 1/, clause({ verb: { present: 1 } })],
  ['[0].when.verb.in', /in takes an array of values, not "do"/, clause({ verb: { in: 'do' } })],
  ['[0].when.verb.notIn', /not an object/, clause({ verb: { notIn: {} } })],
  ['[0].when.verb.in[1]', /not an array/, clause({ verb: { in: ['do', ['be']] } })],
  ['[0].when.verb[0]', /not an array/, clause({ verb: [[], 'do'] })],
  ['[0].when.verb[1]', /not an object/, clause({ verb: ['do', {}] })],
  ['[0].when.verb.eq', /eq takes a string.* not an object/, clause({ verb: { eq: {} } })],
  ['[0].when.verb.ne', /not an array/, clause({ verb: { ne: ['do'] } })],
  ['[0].when.verb', /not undefined/, clause({ verb: undefined })],
  ['[0].when.caller.role', /write the dotted path "caller.role"/, clause({ caller: { role: 'human' } })],
  ['[0].when.verb.role', /unknown operator "role"/, clause({ verb: { eq: 'do', role: 'x' } })],
  ['[0].when.verb.toString', /unknown operator "toString"/, clause({ verb: { toString: 'x' } })],
  ['[0].when.verb.__proto__', /unknown operator/, clause({ verb: JSON.parse('{"__proto__":1}') })],
  ['[0].when.and', /and takes an array of conditions, not an object/, clause({ and: {} })],
  ['[0].when.or', /or takes an array/, clause({ or: 'x' })],
  ['[0].when.not', /not an array/, clause({ not: [] })],
  ['[0].when.or[1]', /not 3/, clause({ or: [{}, 3] })],
  [
    '[2].when.or[1]["time.hour"].gtt',
    /unknown operator "gtt"/,
    [{ role: 'a' }, { role: 'b' }, { role: 'c', when: { or: [{}, { 'time.hour': { gtt: 9 } }] } }],
  ],
  [`[0].when${'.not'.repeat(32)}`, /deeper than 32/, clause(nested(33))],
  ['[0].when.or[511]', /512/, clause({ or: Array.from({ length: 512 }, () => ({ verb: 'do' })) })],
]

const roles = { worker: {}, judge: {}, 'for-humans': { requiredCognition: 'human' } } as const

describe('what is malformed', () => {
  it.each(MALFORMED)('%s: %s is refused', (path, message, flow) => {
    const { errors } = lintFlow(flow)
    expect(errors.map((error) => error.path)).toContain(path)
    expect(errors.find((error) => error.path === path)!.message).toMatch(message)
    expect(() => requireFlow(flow)).toThrow(TreeosError)
  })

  it.each(MALFORMED)('%s: %s never matches at run time; other clauses do', (_path, _message, flow) => {
    const roles = { worker: {}, a: {}, c: {} }
    const input = { context: { verb: 'do' }, cognition: 'llm', roles } as const
    const compiled = compileFlow(flow)
    const broken = compiled.clauses.filter(({ fault }) => fault !== null)
    expect(broken).toHaveLength(1)
    const appended = compileFlow([...(flow as unknown[]), { role: 'worker' }])
    expect(evaluateFlow(appended, input).primary).toMatch(/worker|a/)
  })

  it('a fault under not, or in a branch that would not be reached, still makes the clause false', () => {
    const faulty = { 'time.hour': { gtt: 9 } }
    for (const when of [{ not: faulty }, { or: [{}, faulty] }, { and: [{ or: [] }, faulty] }]) {
      const input = { context: {}, cognition: 'llm', roles: { worker: {} } } as const
      expect(evaluateFlow(compileFlow(clause(when)), input).primary).toBe(null)
    }
  })

  it.each([null, undefined, {}, 'x', 7])('a flow is an array, not %j', (flow) => {
    expect(lintFlow(flow).errors).toEqual([{ path: '', message: expect.stringMatching(/is an array/) }])
  })

  it('a circular flow is refused', () => {
    const when: Record<string, unknown> = {}
    when.not = when
    expect(lintFlow(clause(when)).errors).toHaveLength(1)
    const list: unknown[] = []
    list.push(list, list)
    expect(lintFlow(clause({ or: list })).errors[0]!.message).toMatch(/not an array/)
  })

  it('every fault is listed, and requireFlow carries them', () => {
    const flow = [{ role: 'Bad' }, { role: 'worker', stack: 1, when: { verb: { gt: 'x' }, court: 1 } }]
    expect(lintFlow(flow).errors.map(({ path }) => path)).toEqual([
      '[0].role',
      '[1].stack',
      '[1].when.verb.gt',
      '[1].when.court',
    ])
    try {
      requireFlow(flow)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/^flow\[0\]\.role: "Bad" .*\(and 3 more\)$/),
      })
      const { detail } = error as TreeosError
      expect(detail).toEqual({ errors: lintFlow(flow).errors })
    }
  })
})

describe('bounds of a whole flow', () => {
  it('is measured first: of a flow that is too large nothing is parsed and nothing evaluated', () => {
    const clauses = (count: number) =>
      Array.from({ length: count }, () => ({ role: 7, when: { nowhere: 1 } }))
    expect(lintFlow(clauses(9000)).errors).toEqual([
      { path: '', message: expect.stringContaining('at most') },
    ])
    // Control: of a smaller one each clause has its errors.
    expect(lintFlow(clauses(100)).errors.length).toBeGreaterThanOrEqual(100)
  })

  it('a flow may be as large as flowBytesMax, and no larger', () => {
    const flow = (bytes: number) => clause({ 'world.x': 'x'.repeat(bytes - 41) })
    expect(JSON.stringify(flow(LIMITS.flowBytesMax))).toHaveLength(LIMITS.flowBytesMax)
    expect(lintFlow(flow(LIMITS.flowBytesMax)).errors).toEqual([])
    expect(lintFlow(flow(LIMITS.flowBytesMax + 1)).errors).toEqual([
      { path: '', message: 'a flow has at most 16384 bytes, this one 16385' },
    ])
  })

  it('a flow may read 64 paths, each as often as it likes, and no more', () => {
    const flow = (paths: number) => [
      ...Array.from({ length: paths }, (_, i) => ({ when: { [`world.x.n${i}`]: 1 }, role: 'worker' })),
      { when: { 'world.x.n0': 2 }, role: 'worker' },
    ]
    expect(lintFlow(flow(64)).errors).toEqual([])
    expect(lintFlow(flow(65)).errors).toEqual([
      { path: '', message: 'a flow reads at most 64 paths, this one 65' },
    ])
  })

  it.each([
    [{ verb: '\0' }, /NUL/],
    [{ verb: '\ud800' }, /surrogate/],
    [{ 'time.hour': { gt: -0 } }, /negative zero/],
  ])('%j cannot be stored', (when, message) => {
    const [error] = lintFlow(clause(when)).errors
    expect(error!.path).toMatch(/^\[0\]\.when/)
    expect(error!.message).toMatch(message)
  })

  it('a good flow passes through', () => {
    const flow = [{ when: { not: { verb: 'do' } }, role: 'worker' }, { role: 'judge' }]
    expect(requireFlow(flow)).toBe(flow)
    expect(lintFlow(flow)).toEqual({ errors: [], warnings: [] })
    expect(lintFlow(clause(nested(32))).errors).toEqual([])
  })

  it('of unregistered roles, when the registry is given: a write refuses them', () => {
    const flow = [{ when: { verb: 'do' }, role: 'ghost' }, { role: 'worker' }]
    expect(lintFlow(flow).errors).toEqual([])
    const fault = {
      path: '[0].role',
      message: 'role "ghost" is not registered',
    }
    expect(lintFlow(flow, { roles })).toEqual({ errors: [fault], warnings: [] })
    expect(lintFlow(flow, { roles: new Map(Object.entries(roles)) }).errors).toEqual([fault])
  })
})

describe('warnings', () => {
  const warnings = (flow: unknown, options = {}) => lintFlow(flow, options).warnings.map(({ path }) => path)

  it('plain clauses behind an unconditional one', () => {
    const flow = [{ role: 'worker' }, { stack: true, role: 'judge' }, { when: { verb: 'do' }, role: 'judge' }]
    expect(warnings(flow)).toEqual(['[2]'])
    for (const when of [
      {},
      { and: [] },
      { 'world.x': {} },
      { not: { or: [] } },
      { or: [{}, { verb: 'do' }] },
    ]) {
      expect(warnings([{ when, role: 'worker' }, { role: 'judge' }])).toEqual(['[1]'])
    }
  })

  it.each([
    [{ verb: 'do', and: [{ verb: 'see' }] }, 'verb is never eq "do" and eq "see"'],
    [{ 'time.hour': { gt: 20, lt: 5 } }, 'time.hour is never gt 20 and lt 5'],
    [{ 'world.x': { gt: 3, lte: 3 } }, 'world.x is never gt 3 and lte 3'],
    [{ 'world.x': { eq: 1, ne: 1 } }, 'world.x is never eq 1 and ne 1'],
    [{ 'world.x': null, not: { 'world.x': { present: false } } }, 'never eq null and not present false'],
    [{ 'world.x': [] }, 'world.x is never in []'],
    [{ 'world.x': { gt: 3, present: false } }, 'world.x is never gt 3 and present false'],
    [{ or: [] }, 'no moment meets all of its conditions'],
    [{ not: {} }, 'no moment meets all of its conditions'],
    [
      { inHomeSpace: false, or: [{ verb: 'do', inHomeSpace: true }, { verb: [] }] },
      'no moment meets all of its conditions',
    ],
    // What the parts of an open context can be at all.
    [{ verb: 'dance' }, 'verb is never eq "dance"'],
    [{ 'time.hour': 24 }, 'time.hour is never eq 24'],
    [{ 'time.hour': { gt: 8, lt: 9 } }, 'time.hour is never gt 8 and lt 9'],
    [{ 'time.dayOfWeek': 7 }, 'time.dayOfWeek is never eq 7'],
    [{ 'time.sinceLastMoment': { lt: 0 } }, 'time.sinceLastMoment is never lt 0'],
    [{ 'caller.cognition': 'robot' }, 'caller.cognition is never eq "robot"'],
    [{ space: 'court' }, 'space is never eq "court"'],
    [{ inHomeSpace: { present: false } }, 'inHomeSpace is never present false'],
  ])('a clause that can never match: %j', (when, why) => {
    const [warning, ...others] = lintFlow(clause(when)).warnings
    expect(others).toEqual([])
    expect(warning).toEqual({
      path: '[0].when',
      message: expect.stringMatching(/^it can never match: /),
    })
    expect(warning!.message).toContain(why)
    // As a primary that never wins it hides nothing.
    expect(warnings([...clause(when), { role: 'judge' }])).toEqual(['[0].when'])
  })

  it.each([
    { 'world.x': { ne: 1, notIn: [1, 'a'], present: false } },
    { 'world.x': { gte: 3, lte: 3 } },
    { 'world.x': { gt: 3, lt: 3.5 } },
    { 'world.x': { gt: Number.MIN_VALUE * -1, lt: Number.MIN_VALUE } },
    { 'world.x': { gt: 1e300 } },
    { 'world.x': { present: true, ne: 'a' }, or: [{ 'world.x': 'b' }, { 'world.x': { gt: 1 } }] },
    { caller: null, 'caller.role': { present: false } },
    { 'time.sinceLastMoment': null },
    { 'me.previousRole': { ne: 'worker' } },
    { not: { 'world.x': ['a', 1, true, false, null] } },
  ])('not one that can: %j', (when) => {
    expect(warnings([...clause(when), { role: 'judge' }])).toEqual([])
  })

  it('plain clauses that some clause before wins over, or several together', () => {
    const messages = (flow: unknown) =>
      lintFlow(flow).warnings.map(({ path, message }) => `${path} ${message}`)
    const day = { when: { 'time.hour': { gte: 6, lt: 18 } }, role: 'worker' }
    const night = {
      when: { or: [{ 'time.hour': { lt: 6 } }, { 'time.hour': { gte: 18 } }] },
      role: 'sleeper',
    }
    expect(messages([day, { when: { 'time.hour': 12, verb: 'do' }, role: 'eater' }])).toEqual([
      '[1] never reached: whenever it matches, so does clause 0',
    ])
    expect(messages([day, night, { role: 'judge' }])).toEqual([
      '[2] never reached: whenever it matches, so does one of the clauses before',
    ])
    expect(messages([{ role: 'worker' }, day])).toEqual([
      '[1] never reached: clause 0 always matches and comes before',
    ])
    expect(messages([day, { role: 'judge' }])).toEqual([])
  })

  it('stacked clauses whose role a clause before has stacked', () => {
    const flow = [
      { stack: true, when: { verb: ['do', 'be'] }, role: 'worker' },
      { stack: true, when: { verb: 'do' }, role: 'worker' },
      { stack: true, when: { verb: 'do' }, role: 'judge' },
      { when: { verb: 'do' }, role: 'worker' },
    ]
    expect(lintFlow(flow).warnings).toEqual([
      { path: '[1]', message: 'never adds anything: whenever it matches, clause 0 has stacked worker' },
    ])
  })

  it('signals that nobody publishes, when it is known what is published', () => {
    const flow = clause({
      'world.court.in-session': true,
      or: [
        { 'world.drum.alive': true },
        { 'world.drum': { present: true } },
        { 'world.weather.now.rain': 1 },
      ],
      'space.quality.ambient.tone': 'quiet',
      world: { present: true },
    })
    expect(
      lintFlow(flow, { published: ['world.court.in-session', 'world.drum.alive', 'world.weather'] }).warnings,
    ).toEqual([])
    expect(lintFlow(flow, { published: ['world.court.in-sess', 'world.drum.alive.x'] }).warnings).toEqual([
      { path: '[0].when', message: expect.stringMatching(/^nobody publishes world\.court\.in-session/) },
      { path: '[0].when', message: expect.stringMatching(/^nobody publishes world\.weather\.now\.rain/) },
    ])
    expect(lintFlow(flow).warnings).toEqual([])
  })

  it('a flow of any size is linted, up to its bounds', () => {
    const flow = Array.from({ length: 3000 }, (_, i) => ({ when: { 'world.x': i % 7 }, role: 'worker' }))
    expect(lintFlow(flow).warnings).toEqual([])
    expect(lintFlow(flow.slice(0, 9)).warnings.map(({ path }) => path)).toEqual(['[7]', '[8]'])
    const alternatives = Array.from({ length: 150 }, (_, i) => ({ or: [{ 'world.x': i }, { 'world.y': i }] }))
    expect(lintFlow(clause({ and: alternatives })).errors).toEqual([])
    // Every way of choosing among so many ends at the impossible one: the search is given up, without a
    // warning.
    const free = Array.from({ length: 100 }, () => ({ or: [{}, {}] }))
    const impossible = { or: [{ or: [] }, { or: [] }] }
    expect(warnings(clause({ and: [impossible, ...free] }))).toEqual([])
  })

  it('not for clauses after one whose role needs a cognition or is not registered: it may not apply', () => {
    expect(warnings([{ role: 'for-humans' }, { role: 'worker' }], { roles })).toEqual([])
    expect(warnings([{ role: 'ghost' }, { role: 'worker' }], { roles })).toEqual([])
  })

  it('fields that no context has, once a clause', () => {
    expect(warnings(clause({ 'time.hours': 9 }))).toEqual(['[0].when'])
    expect(warnings(clause({ or: [{ 'verb.x': 1 }, { 'verb.x': 2 }] }))).toEqual(['[0].when'])
    const fine = {
      verb: 'do',
      'me.quality.a.b': 1,
      'world.any.thing': 1,
      'space.name': 'x',
      caller: { present: true },
    }
    expect(warnings(clause(fine))).toEqual([])
  })

  it('stacked clauses that add to a careful role, where a flow has one', () => {
    const stacked = { stack: true, role: 'alert' }
    const own = { stack: true, role: 'judge', when: { 'moment.outside': false } }
    const careful = { when: { 'moment.outside': true }, role: 'ghost' }
    expect(warnings([careful, { role: 'worker' }, stacked, own])).toEqual(['[2].when'])
    expect(warnings([{ role: 'worker' }, stacked])).toEqual([])
  })

  it('strings too long to equal anything', () => {
    expect(warnings(clause({ 'world.x': 'x'.repeat(256) }))).toEqual([])
    expect(warnings(clause({ 'world.x': ['x'.repeat(257)] }))).toEqual(['[0].when'])
  })
})

/** What the document on roles writes, typed as it stands there, at the command line of an instance with the shipped worlds. */
import type { ExplainedMoment, MomentView } from '@treeos/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { useInstance } from '../cli/instance.ts'
import { until } from '../support/life.ts'
import { IS_NIGHT } from '../support/night.ts'
import { useModelServer } from '../support/use-world.ts'

const model = useModelServer()
const home = useInstance({ modelServer: model, up: ['--no-portal', '--demo', 'court'] })

const ROLE_FLOW = `qualities.roleFlow = [
  // Primary clauses — first match wins.
  { when: { verb: "summon", "caller.role": "human" },
    role: "human-conversationalist" },
  { when: { "space.name": "court", "world.court.in-session": true },
    role: "judge" },
  { role: "court-watcher" }, // terminal default
  // Stacked clauses — all matching ones append on top.
  { stack: true, when: { "time.sinceLastMoment": { gte: 60 } },
    role: "emotions:bored" },
  { stack: true, when: { "world.court.recent-disturbance": true },
    role: "emotions:alert" },
];`

const last = async (being: string) =>
  (await home.run(['moments', being, '--last', '1', '--json'])).stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as MomentView)[0]
const setRole = (role: object | string) =>
  home.json<{ result?: unknown }>(['role', 'set', '-'], {
    input: typeof role === 'string' ? role : JSON.stringify(role),
  })
const ok = async (args: string[], input = '') => {
  const { status, stderr } = await home.run(args, { input })
  expect(status, `treeos ${args.join(' ')}: ${stderr}`).toBe(0)
}

describe('the flow of a judge', () => {
  it('works typed as it is: a person is talked to, a sitting makes the judge, a disturbance alerts it', async () => {
    for (const name of ['human-conversationalist', 'judge', 'court-watcher'])
      await setRole(
        `{ name: "${name}", canSee: ["~"], canSummon: [{ rel: "asker" }], prose: "answers", selfContinue: "until-answered", prompt: "You are a ${name}.", }`,
      )
    await ok(['birth', 'ruth', '--cognition', 'llm', '--role', 'court-watcher', '--home', '/court'])
    await ok(['flow', 'set', '@ruth', '-'], ROLE_FLOW)
    const { reply } = await home.json<{ reply: { content: string } }>([
      ...['summon', '@ruth', 'Who are you?', '--wait', '60'],
    ])
    expect(reply.content).toBe('ok: Who are you?')
    expect(await last('@ruth')).toMatchObject({ primary: 'human-conversationalist', stacked: [] })

    await ok(['move', '/court'])
    await ok(['do', '/court', 'court:disturb', '--args', '{"noise": "a cough"}'])
    const judging = await until(async () => {
      const moment = await last('@ruth')
      return moment?.primary === 'judge' && moment
    })
    expect(judging).toMatchObject({ stacked: ['emotions:alert'] })
    const { system } = await home.json<{ system: string }>(['prompt', '@ruth', String(judging.n)])
    expect(system).toContain('Additionally, you are currently in this mode — emotions:alert:')
    const { clauses } = await home.json<ExplainedMoment>(['explain', '@ruth', String(judging.n)])
    expect(clauses.map(({ role, result }) => `${role}: ${result}`)).toEqual([
      'human-conversationalist: no-match',
      'judge: primary',
      'court-watcher: shadowed',
      'emotions:bored: no-match',
      'emotions:alert: stacked',
    ])
  })
})

const DEEP = {
  verb: 'summon',
  space: { name: 'court' },
  inHomeSpace: false,
  world: { factory: { broken: 1 } },
}
const at = (context: object) => ({ ...DEEP, ...context })

describe('conditions', () => {
  beforeAll(async () => {
    await setRole({ name: 'friendly', prompt: 'You are friendly.' })
    await ok(['birth', 'reader', '--cognition', 'scripted', '--script', 'echo'])
  })

  const CONDITIONS: readonly [when: string, holds: object, fails: object][] = [
    ['{ verb: "summon" }', at({}), at({ verb: 'do' })],
    ['{ "time.hour": { gte: 9, lt: 17 } }', at({ time: { hour: 16 } }), at({ time: { hour: 17 } })],
    [
      '{ "space.name": { in: ["court", "library"] } }',
      at({ space: { name: 'library' } }),
      at({ space: { name: 'dojo' } }),
    ],
    ['{ "world.factory.broken": { present: true } }', at({}), at({ world: {} })],
    ['{ not: { inHomeSpace: true } }', at({}), at({ inHomeSpace: true })],
    ['{ or: [ { verb: "do" }, { verb: "be" } ] }', at({ verb: 'be' }), at({})],
    [
      '{ "caller.cognition": "human" }',
      at({ caller: { cognition: 'human' } }),
      at({ caller: { cognition: 'llm' } }),
    ],
    [
      '{ "time.sinceLastMoment": { gte: 60 } }',
      at({ time: { sinceLastMoment: 60 } }),
      at({ time: { sinceLastMoment: 59 } }),
    ],
    [
      '{ "world.harmony.tick.alive": true }',
      at({ world: { harmony: { tick: { alive: true } } } }),
      at({ world: { harmony: { tick: { alive: false } } } }),
    ],
    [
      '{ "space.quality.ambient.tone": "quiet" }',
      at({ space: { name: 'x', quality: { ambient: { tone: 'quiet' } } } }),
      at({}),
    ],
  ]
  // By day one of four: the evaluator has tests of its own for each kind.
  it.each(CONDITIONS.filter((_, i) => IS_NIGHT || i % 4 === 0))(
    '%s holds, and does not hold',
    async (when, holds, fails) => {
      const file = `[{ when: ${when}, role: "friendly" }]`
      const { stdout, status } = await home.run(['flow', 'lint', '-', '--json'], { input: file })
      expect({ status, errors: JSON.parse(stdout).errors }).toEqual({ status: 0, errors: [] })
      await ok(['flow', 'set', '@reader', '-'], file)
      const flow = await home.json<unknown[]>(['flow', 'get', '@reader'])
      const lines = [holds, fails].map((context, id) =>
        JSON.stringify({ id, flow, roles: { friendly: {} }, cognition: 'llm', context }),
      )
      const evaluated = await home.run(['flow', 'eval'], { input: lines.join('\n') })
      expect(
        evaluated.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).primary),
      ).toEqual(['friendly', null])
    },
  )
})

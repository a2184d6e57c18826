/**
 * What a being's workflow does with what its activities say. Temporal's functions and the activities are put
 * in their place.
 */
import { ApplicationFailure } from '@temporalio/common'
import type { PinnedStack } from '@treeos/core/workflow'
import type {
  EndedMoment,
  EvaluatedMoment,
  LivedMoments,
  LocalBeats,
  OpenedMoment,
  OpenMoment,
  StampedMoment,
} from '@treeos/protocol/workflow'
import { beforeEach, expect, it, vi } from 'vitest'
import { treeosBeing } from './being.workflow.ts'

const fake = vi.hoisted(() => ({
  /** what the workflow called, in order: an activity, or what it asked of Temporal */
  calls: [] as [name: string, input: unknown][],
  /** results of activities by their names, each used once, in order */
  results: {} as Record<string, unknown[]>,
  details: [] as string[],
  /** of local activities */
  summaries: [] as string[],
  queries: {} as Record<string, () => unknown>,
  signal: (_name: string): void => undefined,
  isEndSuggested: false,
}))

vi.mock('@temporalio/workflow', async (importOriginal) => {
  const activities = () =>
    new Proxy(
      {},
      {
        get: (_, name: string) => async (input: unknown, told?: object) => {
          fake.calls.push([name, input])
          const value = fake.results[name]?.shift() ?? DEFAULTS[name]
          if (value instanceof Error) throw value
          return name === 'liveMoments' ||
            name === 'stampMoment' ||
            name === 'beginLife' ||
            name === 'reportDifference'
            ? { args: 'digest', value, ...told }
            : value
        },
      },
    )
  const DEFAULTS: Record<string, unknown> = {
    beginLife: { generation: 1, n: 1 },
    liveMoments: { lived: [], stop: { over: true } },
    reportDifference: { recorded: 'a'.repeat(64), given: 'b'.repeat(64) },
    think: { kind: 'call', digest: 'decision' },
  }
  return {
    ...(await importOriginal<object>()),
    proxyLocalActivities: ({ summary }: { summary: string }) => {
      fake.summaries.push(summary)
      return activities()
    },
    proxyActivities: activities,
    workflowInfo: () => ({
      firstExecutionRunId: 'chain',
      typedSearchAttributes: { get: () => undefined },
      continueAsNewSuggested: fake.isEndSuggested,
      targetWorkerDeploymentVersionChanged: false,
    }),
    setDefaultSignalHandler: (handler: typeof fake.signal) => {
      fake.signal = handler
    },
    setHandler: ({ name }: { name: string }, handler: () => unknown) => {
      fake.queries[name] = handler
    },
    upsertSearchAttributes: () => undefined,
    setCurrentDetails: (text: string) => void fake.details.push(text),
    allHandlersFinished: () => true,
    sleep: async (ms: number) => void fake.calls.push(['sleep', ms]),
    CancellationScope: class {
      run = (work: () => Promise<unknown>) => work()
      cancel = () => undefined
    },
    /** Who waits is rung, unless its timer ends first. */
    condition: async (isOver: () => boolean) => {
      fake.calls.push(['rest', null])
      await new Promise((resolve) => setImmediate(resolve)) // a timer that was started ends
      if (isOver()) return
      fake.signal('wake')
      expect(isOver()).toBe(true)
    },
    makeContinueAsNewFunc: () => async (next: unknown) => void fake.calls.push(['continue', next]),
  }
})

beforeEach(() => {
  Object.assign(fake, {
    calls: [],
    results: {},
    details: [],
    summaries: [],
    queries: {},
    isEndSuggested: false,
  })
})

const PROGRAM = 'p'.repeat(64)
const program = {
  flow: [{ when: { 'world.court.open': true }, role: 'judge' }],
  defaultRole: 'clerk',
  roles: { judge: { digest: '1'.repeat(64) }, clerk: { digest: '2'.repeat(64) } },
} as unknown as NonNullable<OpenedMoment['program']>
const stackOf = (name: 'judge' | 'clerk'): PinnedStack => ({
  primary: { name, digest: program.roles[name]!.digest },
  stacked: [],
})

function opened(n: number, isOpen = false, more: Partial<OpenedMoment> = {}): OpenedMoment {
  return {
    moment: `solomon/1/${n}`,
    open: 'o'.repeat(64),
    programDigest: PROGRAM,
    ...(n === 1 ? { program } : {}),
    context: { world: { court: { open: isOpen } } },
    cognition: 'scripted',
    asked: null,
    decided: false,
    ...more,
  }
}
const stamped = (waiting = 0): StampedMoment => ({
  kind: 'act',
  reason: null,
  did: 'do court:rule',
  record: 'r'.repeat(64),
  waiting,
})

/** A moment whose worker says what its flow gives, or something else. */
const lived = (n: number, waiting = 0, says: 'judge' | 'clerk' = 'clerk', isOpen = false): EndedMoment => ({
  opened: opened(n, isOpen),
  stack: stackOf(says),
  ended: stamped(waiting),
})
const left = (n: number, of: OpenMoment['left'], says: 'judge' | 'clerk' = 'clerk'): OpenMoment => ({
  opened: opened(n),
  stack: stackOf(says),
  left: of,
})

type Results = { [Name in keyof LocalBeats]?: unknown[] } & {
  readonly think?: unknown[]
  readonly post?: unknown[]
}

async function run(results: Results & { liveMoments?: LivedMoments[] }, more = {}) {
  fake.results = results
  await treeosBeing({ reality: 'home', being: 'solomon', version: 1, ...more })
  return fake.calls.map(([name]) => name)
}
const inputsOf = (name: string) => fake.calls.flatMap(([called, input]) => (called === name ? [input] : []))
const failureOf = (running: Promise<unknown>) => running.then(() => null).catch((error: unknown) => error)

it('asks for moments with a cursor and the program that it holds, and ends when the being was ended', async () => {
  const calls = await run({ liveMoments: [{ lived: [lived(1, 1), lived(2, 1, 'judge', true)] }] })
  expect(calls).toEqual(['beginLife', 'liveMoments', 'liveMoments'])
  expect(inputsOf('liveMoments')).toEqual([
    { being: 'solomon', generation: 1, n: 1, program: null, room: 16 },
    { being: 'solomon', generation: 1, n: 3, program: PROGRAM, room: 6 },
  ])
})

it('rests when no wake waits, and asks again after a signal', async () => {
  const resting = { lived: [], stop: { resting: true } } as const
  expect(await run({ liveMoments: [{ lived: [lived(1)] }, resting] })).toEqual([
    'beginLife',
    'liveMoments',
    'rest',
    'liveMoments',
    'rest',
    'liveMoments',
  ])
})

it('ends its task once it is full', async () => {
  const many = Array.from({ length: 8 }, (_, i) => lived(i + 1, 1))
  expect(await run({ liveMoments: [{ lived: many }] })).toEqual([
    'beginLife',
    'liveMoments',
    'sleep',
    'liveMoments',
  ])
  expect(inputsOf('liveMoments')).toMatchObject([{ room: 16 }, { room: 16 }])
})

it('shows the last 16 moments with their roles, the newest first, in the next run, too', async () => {
  const many = (from: number) => Array.from({ length: 9 }, (_, i) => lived(from + i, 1))
  await run({ liveMoments: [{ lived: many(1) }, { lived: many(10) }] }, { historyEventsMax: 30 })
  const [command, , ...lines] = fake.details.at(-1)!.split('\n')
  expect(command).toBe('`treeos explain @solomon 18` explains the last of these:')
  expect(lines).toHaveLength(16)
  expect([lines[0], lines[15]]).toEqual([
    '- moment #18 · clerk · do court:rule → act · 1 waiting',
    '- moment #3 · clerk · do court:rule → act · 1 waiting',
  ])
  expect(fake.queries.moments?.()).toEqual(lines.map((line) => line.slice(2)))
  const [next] = inputsOf('continue') as { life: { n: number; shown: string[] } }[]
  expect(next).toMatchObject({ life: { generation: 1, n: 19 } })
  fake.details = []
  await run({}, next)
  expect(fake.details).toEqual([[command, '', ...lines].join('\n')])
})

it('names in the summary of each call which moments the one before lived, and their roles', async () => {
  const many = [lived(1), lived(2), lived(3, 0, 'judge', true), lived(4, 1)]
  await run({ liveMoments: [{ lived: many }, { lived: [lived(5)] }] })
  expect(fake.summaries.filter((summary) => summary.startsWith('live'))).toEqual([
    'live from #1',
    'live from #5, after #1–#2 clerk, #3 judge, #4 clerk',
    'live from #6, after #5 clerk',
  ])
})

it.each([
  { what: 'another role', moment: lived(2, 1, 'judge') },
  { what: 'a skip', moment: { ...lived(2, 1), stack: null, skip: 'not-triggered' } },
])('fails by name when the worker lived $what, and lives nothing more', async ({ moment }) => {
  const failure = await failureOf(run({ liveMoments: [{ lived: [lived(1, 1), moment, lived(3, 1)] }] }))
  expect(failure).toBeInstanceOf(ApplicationFailure)
  expect(failure).toMatchObject({
    type: 'StackDiffers',
    nonRetryable: true,
    message: expect.stringContaining(`${'b'.repeat(64)} (clerk) in the workflow`),
    details: [{ moment: 'solomon/1/2', recorded: 'a'.repeat(64), given: 'b'.repeat(64) }],
  })
  expect(fake.calls.map(([name]) => name)).toEqual(['beginLife', 'liveMoments', 'reportDifference'])
  expect(inputsOf('reportDifference')).toMatchObject([
    { moment: 'solomon/1/2', recorded: { stack: moment.stack }, given: { stack: stackOf('clerk') } },
  ])
})

it('a new life evaluates the last moments of those before, and lives nothing when one differs', async () => {
  const before: EvaluatedMoment[] = [{ opened: opened(1), stack: stackOf('clerk') }]
  expect(await run({ beginLife: [{ generation: 2, n: 2, before }] })).toEqual(['beginLife', 'liveMoments'])
  expect(inputsOf('liveMoments')).toMatchObject([{ n: 2, program: null }])

  fake.calls = []
  const other: EvaluatedMoment[] = [{ opened: opened(1), stack: stackOf('judge') }]
  const failure = await failureOf(run({ beginLife: [{ generation: 3, n: 2, before: other }] }))
  expect(failure).toMatchObject({ type: 'StackDiffers' })
  expect(fake.calls.map(([name]) => name)).toEqual(['beginLife', 'reportDifference'])
})

it('goes on after a moment whose difference a person accepted, and fails by the next one', async () => {
  const other = (n: number): EvaluatedMoment => ({ opened: opened(n), stack: stackOf('judge') })
  const digests = { recorded: 'a'.repeat(64), given: 'b'.repeat(64) }
  const accepted = { ...digests, isAccepted: true }
  const calls = await run({
    beginLife: [{ generation: 2, n: 2, before: [other(1)] }],
    reportDifference: [accepted],
  })
  expect(calls).toEqual(['beginLife', 'reportDifference', 'liveMoments'])

  fake.calls = []
  const failure = await failureOf(
    run({
      beginLife: [{ generation: 3, n: 3, before: [other(1), other(2)] }],
      reportDifference: [accepted, digests],
    }),
  )
  expect(failure).toMatchObject({ type: 'StackDiffers', details: [{ moment: 'solomon/1/2', ...digests }] })
})

it('goes on with a moment whose mind takes long: evaluates, asks the mind, stamps', async () => {
  const slow = { lived: [lived(1, 1)], stop: left(2, { decides: true, begun: {} }) }
  const calls = await run({ liveMoments: [slow], stampMoment: [stamped(1)] })
  expect(calls).toEqual(['beginLife', 'liveMoments', 'think', 'stampMoment', 'liveMoments'])
  expect(inputsOf('think')).toEqual([{ moment: 'solomon/1/2', stack: stackOf('clerk'), begun: {} }])
  expect(inputsOf('stampMoment')).toEqual([
    {
      being: 'solomon',
      generation: 1,
      n: 2,
      moment: 'solomon/1/2',
      stack: stackOf('clerk'),
      skip: null,
      decision: 'decision',
      failed: null,
    },
  ])
  expect(inputsOf('liveMoments')[1]).toMatchObject({ n: 3 })
})

it('asks no mind where a person decided', async () => {
  const stop = { ...left(1, { decides: true }), opened: opened(1, false, { decided: true }) }
  const calls = await run({ liveMoments: [{ lived: [], stop }], stampMoment: [stamped(1)] })
  expect(calls).toEqual(['beginLife', 'liveMoments', 'stampMoment', 'liveMoments'])
})

const effect = { operation: 'post', timeoutSeconds: 5, attempts: 1 }
it('ends a moment as a failure where what ended was not its effect, and goes on', async () => {
  const stop = left(1, { effect, decision: 'its own' })
  const failed = { ...stamped(), kind: 'failure', reason: 'INTERNAL' }
  const calls = await run({ liveMoments: [{ lived: [], stop }], stampMoment: [{ effect }, failed] })
  expect(calls.filter((name) => name === 'stampMoment')).toHaveLength(2)
  expect(inputsOf('stampMoment')).toMatchObject([{ moment: 'solomon/1/1' }, { effect: 'INTERNAL' }])
  expect(inputsOf('stampMoment')[0]).not.toHaveProperty('effect')
  expect(calls.at(-1)).toBe('liveMoments')
})

it('performs an effect after it evaluated the moment, then stamps with the decision of the worker', async () => {
  const stop = left(1, { effect, decision: 'its own' })
  const calls = await run({ liveMoments: [{ lived: [], stop }], stampMoment: [stamped(1)], post: [null] })
  expect(calls).toEqual(['beginLife', 'liveMoments', 'post', 'stampMoment', 'liveMoments'])
  expect(inputsOf('stampMoment')).toMatchObject([{ decision: 'its own', failed: null }])
})

it.each([
  { what: 'its mind is asked', left: { decides: true } as const },
  { what: 'its effect is performed', left: { effect } },
])('fails by name before $what, when the worker gave another stack', async ({ left: of }) => {
  const failure = await failureOf(run({ liveMoments: [{ lived: [], stop: left(1, of, 'judge') }] }))
  expect(failure).toMatchObject({ type: 'StackDiffers' })
  expect(fake.calls.map(([name]) => name)).toEqual(['beginLife', 'liveMoments', 'reportDifference'])
})

it('fails by name when another stack was stamped before', async () => {
  const slow = { lived: [], stop: left(1, { decides: true }) }
  const failure = await failureOf(
    run({ liveMoments: [slow], stampMoment: [{ recorded: { stack: stackOf('judge') } }] }),
  )
  expect(failure).toMatchObject({ type: 'StackDiffers', details: [{ moment: 'solomon/1/1' }] })
})

it('continues as new at rest when the server suggests it', async () => {
  fake.isEndSuggested = true
  const resting = { lived: [], stop: { resting: true } } as const
  expect(await run({ liveMoments: [{ lived: [lived(1)] }, resting] })).toEqual([
    'beginLife',
    'liveMoments',
    'sleep',
    'rest',
    'liveMoments',
    'continue',
  ])
  expect(inputsOf('continue')).toMatchObject([{ life: { n: 2, silentMs: 2000 } }])
})

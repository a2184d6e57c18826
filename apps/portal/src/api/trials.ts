import { z } from '@hono/zod-openapi'
import { authorizeTrial, refusalOf, trialPace } from '@treeos/client'
import { isJsonObject, type Json, TreeosError } from '@treeos/core'
import { checkTrial, type PreparedTrial, type Trial } from '@treeos/trials/forms'
import type { Context } from 'hono'
import { streamEvents } from '../edge/event-stream.ts'
import { toldByApi } from '../edge/remedies.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { answers, body, given, newApi, operation, typed } from './operation.ts'

/** Moments of a trial that says no number of them. */
const MOMENTS = 20
const MOMENTS_MAX = 200
const BEINGS_MAX = 200
const CANDIDATES_MAX = 8
const SCORERS_MAX = 8
/** Of one trial, with those of its scorers. */
const CALLS_MAX = 400
const SECONDS_MAX = 600
const COST_MAX = 1_000_000

const asked = z.strictObject({
  trial: given.openapi({
    description:
      'as `treeos trial run FILE` takes it, without scorers of code; 20 moments where it says no number',
  }),
})

const estimating = operation({
  method: 'post',
  path: '/trials/estimate',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'estimateTrial',
  summary: 'What a trial would cost at most',
  tags: ['trials'],
  request: { body: body(asked) },
  responses: answers(typed('TrialEstimate'), 'moments, calls and cost'),
})

const running = operation({
  method: 'post',
  path: '/trials',
  'x-caller': 'signed-in',
  'x-work': 'trial',
  operationId: 'runTrial',
  summary: 'Ask past moments again, of another role, flow, model or layout',
  description:
    'Server-sent events: `estimate`, then each `line` and the `summary`, as `treeos trial run --json` prints them, or `refused`. ' +
    'It takes moments whose past I may look into, and what I could set myself. Nothing is done or written, and it ends with the request.',
  tags: ['trials'],
  request: {
    body: body(
      asked.extend({
        maxCost: z
          .number()
          .min(0)
          .max(COST_MAX)
          .optional()
          .openapi({ description: 'makes no call that could bring the cost above this' }),
      }),
    ),
  },
  responses: { 200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } } },
})

const choosing = operation({
  method: 'get',
  path: '/trials/models',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'trialModels',
  summary: 'The models that a trial may ask: those that the operator named',
  tags: ['trials'],
  responses: answers(z.object({ models: z.array(z.string()).readonly() }), 'names of model connections'),
})

/**
 * Past moments asked again. What is in them goes to models that the operator named, and to no address of a
 * caller.
 */
export const trialRoutes = ({ machine, onError }: Pick<Portal, 'machine' | 'onError'>) => {
  const prepared = async (visit: Visit, value: unknown) => {
    const trial = await authorized(visit, readTrial(value))
    const ready = await machine.trials.prepare(trial)
    const { calls, callsOfScorers } = ready.estimate
    if (calls + callsOfScorers > CALLS_MAX)
      throw new TreeosError(
        'INVALID_INPUT',
        `trial: it takes ${calls + callsOfScorers} calls of models, and ${CALLS_MAX} at most are made: ask fewer moments again, or sample them`,
      )
    return ready
  }
  let take: ReturnType<typeof trialPace> | null = null
  return newApi()
    .openapi(choosing, async (c) => c.json({ models: await machine.trials.models() }, 200))
    .openapi(estimating, async (c) => {
      const { estimate } = await prepared(c.get('visit'), c.req.valid('json').trial)
      return c.json(estimate, 200)
    })
    .openapi(running, async (c) => {
      const { trial, maxCost } = c.req.valid('json')
      const visit = c.get('visit')
      const ready = await prepared(visit, trial)
      const { calls, callsOfScorers } = ready.estimate
      take ??= trialPace(machine.trials.callsPerHour)
      const settle = await take(visit.person, calls + callsOfScorers)
      return streamTrial(c, ready, maxCost, { settle, onError })
    })
}

/**
 * @throws {TreeosError} INVALID_INPUT for one that is malformed, loads code, or names a model that the
 *   operator did not
 */
function readTrial(value: unknown): Trial {
  const read = checkTrial(withMoments(value as Json))
  const wrong = (at: string, why: string) => new TreeosError('INVALID_INPUT', `${at}: ${why}`)
  if ('fault' in read) throw wrong(['trial', ...read.fault.path].join('.'), read.fault.message)
  const { moments, scorers, candidates } = read.value
  // Before anything is lived again: the estimate itself takes time.
  const most: [string, number, number][] = [
    ['moments.last', moments.last, MOMENTS_MAX],
    ['moments.being', moments.being?.length ?? 0, BEINGS_MAX],
    ['candidates', Object.keys(candidates).length, CANDIDATES_MAX],
    ['scorers', Object.keys(scorers).length, SCORERS_MAX],
  ]
  for (const [at, count, max] of most)
    if (count > max) throw wrong(`trial.${at}`, `takes ${max} at most here, and not ${count}`)
  for (const [name, { module }] of Object.entries(scorers))
    if (module !== undefined)
      throw wrong(`trial.scorers.${name}`, 'a scorer of code runs on the command line alone')
  for (const { model } of [...Object.values(candidates), ...Object.values(scorers)])
    if (model !== undefined && 'name' in model)
      throw wrong('trial', 'a model is the name of a connection that the operator named')
  return read.value
}

function withMoments(trial: Json): Json {
  if (!isJsonObject(trial)) return trial
  const { moments = {} } = trial
  return isJsonObject(moments) ? { ...trial, moments: { last: MOMENTS, ...moments } } : trial
}

/** The trial over the moments that the visitor may look into. @throws {TreeosError} as `authorizeTrial` */
async function authorized({ at, being: me }: Visit, trial: Trial): Promise<Trial> {
  const candidates = Object.values(trial.candidates)
  // A judge reads what beings said, so its model is one that they may be given.
  const models = [...candidates, ...Object.values(trial.scorers)].flatMap(({ model }) => model ?? [])
  const beings = await authorizeTrial(at, me, {
    beings: trial.moments.being,
    roles: candidates.flatMap(({ roles }) => roles),
    flows: candidates.flatMap(({ flow }) => (flow === undefined ? [] : [flow])),
    connections: models.map(({ connection = 'default' }) => (connection === 'default' ? null : connection)),
  })
  return { ...trial, moments: { ...trial.moments, being: beings } }
}

function streamTrial(
  c: Context<Env>,
  { estimate, run }: PreparedTrial,
  maxCost: number | undefined,
  {
    settle,
    onError,
  }: { readonly settle: (made: number) => Promise<void>; readonly onError: Portal['onError'] },
): Response {
  const leaving = new AbortController()
  const signal = AbortSignal.any([c.get('signal'), leaving.signal])
  return streamEvents(c, async (send) => {
    try {
      await send({ event: 'estimate', data: estimate })
      const summary = await run({
        ...{ maxCost, maxCalls: CALLS_MAX, maxSeconds: SECONDS_MAX, signal },
        onLine: (line) => void send({ event: 'line', data: line }).catch(() => leaving.abort()),
      })
      await settle(summary.calls)
      await send({ event: 'summary', data: summary })
    } catch (error) {
      if (!(error instanceof TreeosError)) onError('trial', error)
      await send({ event: 'refused', data: toldByApi(refusalOf(error)).toJSON() })
    }
  })
}

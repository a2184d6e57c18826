import { z } from '@hono/zod-openapi'
import {
  authorizeAllPasts,
  authorizePast,
  BEING_STATES,
  beatsOfMoment,
  beingsSeen,
  budget,
  cancel,
  explain,
  inspectFlow,
  inspectMoment,
  livedMoments,
  mayReadPast,
  maySeePlace,
  momentsPage,
  pastReader,
  prompt,
  refusalOf,
  see,
  statesOfSeen,
  whyNotRole,
} from '@treeos/client'
import { type BeingName, type Json, parseCall, requireRoleName, type SpacePath, stanceOf } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { compareFlow } from '@treeos/replay/what-if'
import { whyNotAct } from '@treeos/replay/why-not'
import type { Portal } from '../portal.ts'
import { listing } from './list.ts'
import {
  answers,
  beingName,
  body,
  given,
  id,
  MOMENTS_MAX,
  newApi,
  numberIn,
  ofBeing,
  ofMoment,
  operation,
  paging,
  text,
  typed,
} from './operation.ts'
import { BeingItem, Budget, Descriptor, Explained, ListedMoment, LivedMoment, Prompt } from './shapes.ts'

/** A what-if lives moments again, so a caller asks for a few at a time, and can stop in between. */
const WHAT_IF_MAX = 25

const listed = listing(
  {
    path: '/beings',
    items: BeingItem,
    operationId: 'beings',
    summary: 'Beings that I may see, by name',
    tags: ['beings'],
    'x-work': 'heavy', // both gates are asked of each
  },
  {
    query: paging.extend({
      role: text(200).min(1).optional().openapi({
        description: 'only those with this default role, or children with this profile',
      }),
    }),
  },
)

const one = operation({
  method: 'get',
  path: '/beings/{name}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'being',
  summary: 'One being, as SEE shows it',
  tags: ['beings'],
  request: { params: ofBeing },
  responses: answers(
    Descriptor.extend({
      isPastOpen: z.boolean(),
      states: z.array(z.enum(BEING_STATES)).openapi({ description: 'the most important first' }),
    }),
    'the being',
  ),
})

const past = listing(
  {
    path: '/beings/{name}/moments',
    'x-caller': 'past-open',
    items: LivedMoment,
    operationId: 'moments',
    summary: 'Finished moments, newest first',
    tags: ['beings'],
  },
  { params: ofBeing, query: paging },
)

const instant = z.iso.datetime({ offset: true })
const withinPeriod = listing(
  {
    path: '/moments',
    items: ListedMoment,
    operationId: 'momentsWithin',
    summary: 'Finished moments of a period, of those whose past is open to me, newest first',
    tags: ['beings'],
    'x-work': 'heavy', // no index helps
  },
  {
    query: paging.extend({
      since: instant.optional().openapi({ description: 'that ended then or later' }),
      until: instant.optional().openapi({ description: 'that ended before' }),
      being: beingName.optional(),
      person: beingName.optional().openapi({ description: 'that it lived, or decided as a driver' }),
    }),
  },
)

const whole = operation({
  method: 'get',
  path: '/beings/{name}/moments/{n}',
  'x-caller': 'past-open',
  'x-work': 'read',
  operationId: 'moment',
  summary: 'All that is recorded of one moment',
  tags: ['beings'],
  request: { params: ofMoment },
  responses: answers(typed('MomentPage'), 'one moment'),
})

const explaining = operation({
  method: 'get',
  path: '/beings/{name}/moments/{n}/explain',
  'x-caller': 'past-open',
  'x-work': 'read',
  operationId: 'explain',
  summary: 'Why it wore what it wore, and what the gates decided',
  tags: ['beings'],
  request: { params: ofMoment },
  responses: answers(Explained, 'the explanation'),
})

const prompting = operation({
  method: 'get',
  path: '/beings/{name}/moments/{n}/prompt',
  'x-caller': 'past-open',
  'x-work': 'read',
  operationId: 'prompt',
  summary: 'The prompt of a moment, built again and compared with the record',
  tags: ['beings'],
  request: { params: ofMoment },
  responses: answers(Prompt, 'the prompt'),
})

const flowing = operation({
  method: 'get',
  path: '/beings/{name}/flow',
  'x-caller': 'signed-in',
  'x-work': 'heavy',
  operationId: 'flow',
  summary: 'The role flow of a being',
  tags: ['beings'],
  request: { params: ofBeing },
  responses: answers(typed('FlowInside'), 'the flow'),
})

const budgeting = operation({
  method: 'get',
  path: '/beings/{name}/budget',
  'x-caller': 'past-open',
  'x-work': 'read',
  operationId: 'budget',
  summary: 'What a being may use, and has used',
  tags: ['beings'],
  request: { params: ofBeing },
  responses: answers(Budget, 'limits and use'),
})

const cancelling = operation({
  method: 'post',
  path: '/beings/{name}/cancel',
  'x-caller': 'signed-in',
  'x-work': 'change',
  operationId: 'cancel',
  summary: 'Cancel the call of its model that is under way',
  tags: ['beings'],
  request: {
    params: ofBeing,
    query: z.object({ moment: id.optional().openapi({ description: 'of this moment, and of no other' }) }),
  },
  responses: answers(typed('CancelledCall'), 'the moment that was cancelled'),
})

const supposing = operation({
  method: 'post',
  path: '/beings/{name}/what-if',
  'x-caller': 'past-open',
  'x-work': 'heavy',
  operationId: 'whatIf',
  summary: 'What past moments would have been under another flow',
  tags: ['beings'],
  request: {
    params: ofBeing,
    body: body(
      z.strictObject({
        flow: given,
        since: z.number().int().min(1).max(2_147_483_647),
        until: z.number().int().min(1).max(2_147_483_647),
      }),
    ),
  },
  responses: answers(
    z.object({
      until: z.int(),
      judged: z
        .array(typed('JudgedMoment'))
        .readonly()
        .openapi({ description: 'every moment that could be judged, with the clauses that hold in it' }),
      differences: z.array(typed('Difference')).readonly(),
    }),
    'the moments up to `until`, and those that would differ',
  ),
})

const whyNotWorn = operation({
  method: 'post',
  path: '/beings/{name}/moments/{n}/why-not/role',
  'x-caller': 'past-open',
  'x-work': 'heavy',
  operationId: 'whyNotRole',
  summary: 'The smallest change under which a moment would have worn a role',
  tags: ['beings'],
  request: { params: ofMoment, body: body(z.strictObject({ role: text(200).min(1) })) },
  responses: answers(typed('WhyNotRole'), 'the changes'),
})

const whyNotDone = operation({
  method: 'post',
  path: '/beings/{name}/moments/{n}/why-not/act',
  // Its answer quotes ceilings of makers and rules of spaces, and tells what is where, whoever may see that.
  'x-caller': 'first-operator',
  'x-work': 'heavy',
  operationId: 'whyNotAct',
  summary: 'The smallest change under which a call would have been allowed',
  tags: ['beings'],
  request: { params: ofMoment, body: body(z.strictObject({ call: given })) },
  responses: answers(typed('WhyNotAllowed'), 'the changes'),
})

/** One being, and its past. */
export const beingRoutes = (portal: Portal) =>
  newApi().route('/', pastRoutes(portal)).route('/', presentRoutes())

const presentRoutes = () =>
  newApi()
    .openapi(listed, async (c) => {
      const { at, being } = c.get('visit')
      const { cursor: after, limit, role } = c.req.valid('query')
      return c.json(await beingsSeen(at, being, { after, limit, role }), 200)
    })
    .openapi(one, async (c) => {
      const { at, being: me } = c.get('visit')
      const being = c.req.valid('param').name
      const isPastOpen = await mayReadPast(at, me, being)
      const seen = await see(at, me, stanceOf(being)).catch((error: unknown) => {
        // Lists need not hold the being itself, whose past is open to it nevertheless.
        if (isPastOpen && refusalOf(error).code === 'FORBIDDEN') return unseen(being)
        throw error
      })
      return c.json({ ...seen, isPastOpen, states: await statesOfSeen(at, being, seen, isPastOpen) }, 200)
    })
    .openapi(flowing, async (c) => {
      const { at, being: me } = c.get('visit')
      return c.json(await inspectFlow(at, me, c.req.valid('param').name), 200)
    })
    .openapi(budgeting, async (c) => c.json(await budget(c.get('visit').at, c.req.valid('param').name), 200))
    .openapi(cancelling, async (c) => {
      const { at, being: as } = c.get('visit')
      const { moment } = c.req.valid('query')
      return c.json(await cancel(at, { as, being: c.req.valid('param').name, moment }), 200)
    })

const pastRoutes = ({ temporal }: Pick<Portal, 'temporal'>) =>
  newApi()
    .openapi(past, async (c) => {
      const { cursor, limit } = c.req.valid('query')
      const { db } = c.get('visit').at
      const before = numberIn(cursor, MOMENTS_MAX)
      const items = (await livedMoments(db, c.req.valid('param').name, limit, before)).reverse()
      const oldest = items.at(-1)?.n ?? 1 // they are counted from 1 without gaps
      return c.json({ items, next: oldest > 1 ? String(oldest) : null }, 200)
    })
    .openapi(withinPeriod, async (c) => {
      const { at, being: me } = c.get('visit')
      const { cursor: after, limit, since, until, being, person } = c.req.valid('query')
      if (being !== undefined) await authorizePast(at, me, being)
      const [from, to] = [since, until].map((iso) => (iso === undefined ? undefined : Date.parse(iso)))
      return c.json(await momentsPage(at, me, { after, limit, since: from, until: to, being, person }), 200)
    })
    .openapi(whole, async (c) => {
      const { at, being: me } = c.get('visit')
      const { name: being, n } = c.req.valid('param')
      const inspected = await inspectMoment(at, being, n, pastReader(at, me))
      const workflow = encodeURIComponent(beingWorkflowId(at.reality.name, being))
      const { ui, namespace } = temporal
      const temporalUi =
        ui === null ? null : `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${workflow}`
      const beats = await beatsOfMoment(at, being, n)
      return c.json({ ...inspected, beats, temporalUi, mayAskOfActs: await isEveryPastOpen(at, me) }, 200)
    })
    .openapi(explaining, async (c) => {
      const { name, n } = c.req.valid('param')
      const visit = c.get('visit')
      return c.json(await explain(visit.at.db, name, n, pastReader(visit.at, visit.being)), 200)
    })
    .openapi(prompting, async (c) => {
      const { name, n } = c.req.valid('param')
      const { db, registry } = c.get('visit').at
      return c.json(await prompt(db, registry, name, n), 200)
    })
    .openapi(supposing, async (c) => {
      const { flow, since, until } = c.req.valid('json')
      const last = Math.min(until, since + WHAT_IF_MAX - 1)
      const visit = c.get('visit')
      const asked = { being: c.req.valid('param').name, flow, since, until: last }
      const maySee = (path: SpacePath) => maySeePlace(pastReader(visit.at, visit.being), path)
      return c.json({ until: last, ...(await compareFlow(visit.at, asked, maySee)) }, 200)
    })
    .openapi(whyNotWorn, async (c) => {
      const { name, n } = c.req.valid('param')
      const role = requireRoleName(c.req.valid('json').role)
      const visit = c.get('visit')
      return c.json(await whyNotRole(visit.at.db, name, n, role, pastReader(visit.at, visit.being)), 200)
    })
    .openapi(whyNotDone, async (c) => {
      const { name: being, n } = c.req.valid('param')
      const call = parseCall(c.req.valid('json').call as Json)
      return c.json(await whyNotAct(c.get('visit').at, { being, n, call }), 200)
    })

/** A being whose past is open, but which may not be seen now. */
const unseen = (being: BeingName): Awaited<ReturnType<typeof see>> => ({
  address: { path: '', being: stanceOf(being), chain: [] },
  beings: [],
  children: [],
  matters: [],
  beingLineage: [],
  type: 'unseen',
  qualities: {},
  identity: { cognition: null, defaultRole: null, home: null },
})

const isEveryPastOpen = (...asked: Parameters<typeof authorizeAllPasts>): Promise<boolean> =>
  authorizeAllPasts(...asked).then(
    () => true,
    (error: unknown) => {
      if (refusalOf(error).code === 'FORBIDDEN') return false
      throw error
    },
  )

import {
  authorizeAllPasts,
  chart,
  inspectMoment,
  inspectSpace,
  mayReadPast,
  moments,
  refusalOf,
  see,
  surroundings,
} from '@treeos/client'
import { type BeingName, parseSpacePath, stanceOf } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env, Portal } from '../portal.ts'
import { input, ofBeing, ofMoment } from './input.ts'

const MOMENTS_MAX = 100
const OCCUPANTS_MAX = 200
const place = z.object({ path: z.string().max(1024) })
/** Moments are counted by an integer of Postgres. */
const number = z.coerce.number().int().min(1).max(2_147_483_647)

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

/** What is there: spaces, beings and their moments. */
export const worldRoutes = ({ temporal }: Portal) =>
  new Hono<Env>()
    .get('/world', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await surroundings(at, being))
    })
    .get('/space', input('query', place.extend({ after: z.string().max(80).optional() })), async (c) => {
      const { at, being } = c.get('visit')
      const { path, after } = c.req.valid('query')
      return c.json(await inspectSpace(at, being, parseSpacePath(path), { after, limit: OCCUPANTS_MAX }))
    })
    .get('/map', input('query', place), async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await chart(at, being, parseSpacePath(c.req.valid('query').path)))
    })
    .get('/beings/:name', input('param', ofBeing), async (c) => {
      const { at, being: me } = c.get('visit')
      const being = c.req.valid('param').name
      const isPastOpen = await mayReadPast(at, me, being)
      const seen = await see(at, me, `@${being}`).catch((error: unknown) => {
        // Lists need not hold the being itself, whose past is open to it nevertheless.
        if (isPastOpen && refusalOf(error).code === 'FORBIDDEN') return unseen(being)
        throw error
      })
      return c.json({ ...seen, isPastOpen })
    })
    .get(
      '/beings/:name/moments',
      input('param', ofBeing),
      input(
        'query',
        z.object({
          before: number.optional(),
          last: z.coerce.number().int().min(1).max(MOMENTS_MAX).default(MOMENTS_MAX),
        }),
      ),
      async (c) => {
        const { name } = c.req.valid('param')
        const { before, last } = c.req.valid('query')
        return c.json(await moments(c.get('visit').at.db, name, last, before))
      },
    )
    .get('/beings/:name/moments/:n', input('param', ofMoment), async (c) => {
      const { at, being: me } = c.get('visit')
      const { name: being, n } = c.req.valid('param')
      const inspected = await inspectMoment(at, being, n)
      const workflow = encodeURIComponent(beingWorkflowId(at.reality.name, being))
      const { ui, namespace } = temporal
      const link =
        ui === null ? null : `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${workflow}`
      return c.json({ ...inspected, temporalUi: link, mayAskOfActs: await isEveryPastOpen(at, me) })
    })

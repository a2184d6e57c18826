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
import { type BeingName, parseSpacePath, parseStance, requireBeingName, stanceOf } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

const MOMENTS_MAX = 100
const OCCUPANTS_MAX = 200
const place = z.object({ path: z.string().max(1024) })
/** Moments are counted by an integer of Postgres. */
const number = z.coerce.number().int().min(1).max(2_147_483_647)
const name = z.object({ name: z.string().min(1).max(80) })

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
    .get('/beings/:name', input('param', name), async (c) => {
      const { at, being: me } = c.get('visit')
      const being = parseStance(`@${c.req.valid('param').name}`)
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
      input('param', name),
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
        return c.json(await moments(c.get('visit').at.db, requireBeingName(name), last, before))
      },
    )
    .get('/beings/:name/moments/:n', input('param', name.extend({ n: number })), async (c) => {
      const { at, being: me } = c.get('visit')
      const { name, n } = c.req.valid('param')
      const being = requireBeingName(name)
      const inspected = await inspectMoment(at, being, n)
      const workflow = encodeURIComponent(beingWorkflowId(at.reality.name, being))
      const { ui, namespace } = temporal
      const link =
        ui === null ? null : `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${workflow}`
      return c.json({ ...inspected, temporalUi: link, mayAskOfActs: await isEveryPastOpen(at, me) })
    })

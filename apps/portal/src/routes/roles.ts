import {
  addresses,
  authoring,
  checkFlow,
  checkRole,
  inspectFlow,
  inspectRole,
  namespaces,
  readSignals,
} from '@treeos/client'
import { requireRoleName } from '@treeos/core'
import { whatIf } from '@treeos/replay/what-if'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input, ofBeing } from './input.ts'

/** A what-if lives moments again, so the page asks for a few at a time, and can stop in between. */
const MOMENTS_MAX = 25
/** A list that somebody chooses from shows no more. */
const ADDRESSES_MAX = 50
const number = z.number().int().min(1).max(2_147_483_647)
/** Checked by the domain itself. `z.unknown()` alone would take a body without it. */
const given = z.unknown().refine((value) => value !== undefined, 'is missing')

/** Authoring of roles, flows and signals: what there is, and checks. What is written goes by `/verb`, as all acts. */
export const roleRoutes = () =>
  new Hono<Env>()
    .get('/roles', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await authoring(at, being))
    })
    .get(
      '/addresses',
      input(
        'query',
        z.object({ text: z.string().max(1024).default(''), of: z.enum(['beings', 'all']).default('all') }),
      ),
      async (c) => {
        const { at, being } = c.get('visit')
        return c.json(await addresses(at, being, { ...c.req.valid('query'), limit: ADDRESSES_MAX }))
      },
    )
    .get('/roles/:role', input('param', z.object({ role: z.string().max(200) })), async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await inspectRole(at, being, requireRoleName(c.req.valid('param').role)))
    })
    .post('/roles/check', input('json', z.object({ role: given })), (c) =>
      c.json(checkRole(c.get('visit').at.registry, c.req.valid('json').role)),
    )
    .post('/flows/check', input('json', z.object({ flow: given })), async (c) =>
      c.json(await checkFlow(c.get('visit').at, c.req.valid('json').flow)),
    )
    .get('/beings/:name/flow', input('param', ofBeing), async (c) => {
      const { at, being: me } = c.get('visit')
      return c.json(await inspectFlow(at, me, c.req.valid('param').name))
    })
    .post(
      '/beings/:name/what-if',
      input('param', ofBeing),
      input('json', z.object({ flow: given, since: number, until: number })),
      async (c) => {
        const { at } = c.get('visit')
        const being = c.req.valid('param').name
        const { flow, since, until } = c.req.valid('json')
        const last = Math.min(until, since + MOMENTS_MAX - 1)
        return c.json({ until: last, differences: await whatIf(at, { being, flow, since, until: last }) })
      },
    )
    .get('/signals', async (c) => {
      const { at } = c.get('visit')
      return c.json({ namespaces: await namespaces(at, null), values: await readSignals(at.db, []) })
    })

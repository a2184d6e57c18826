import { whyNotRole } from '@treeos/client'
import { type Json, parseCall, requireRoleName } from '@treeos/core'
import { whyNotAct } from '@treeos/replay/why-not'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Env } from '../portal.ts'
import { input, ofMoment } from './input.ts'

/** What would have had to be otherwise in a past moment, as `treeos why-not`. Asks no model and writes nothing. */
export const whyNotRoutes = () =>
  new Hono<Env>()
    .post(
      '/beings/:name/moments/:n/why-not/role',
      input('param', ofMoment),
      input('json', z.object({ role: z.string().max(200) })),
      async (c) => {
        const { name, n } = c.req.valid('param')
        const { db } = c.get('visit').at
        return c.json(await whyNotRole(db, name, n, requireRoleName(c.req.valid('json').role)))
      },
    )
    .post(
      '/beings/:name/moments/:n/why-not/act',
      input('param', ofMoment),
      input('json', z.object({ call: z.unknown() })),
      async (c) => {
        const { at } = c.get('visit')
        const { name: being, n } = c.req.valid('param')
        return c.json(await whyNotAct(at, { being, n, call: parseCall(c.req.valid('json').call as Json) }))
      },
    )

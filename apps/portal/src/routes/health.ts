import { health, ownUse } from '@treeos/client'
import { Hono } from 'hono'
import type { Env, Portal } from '../portal.ts'

/** How the reality and its machine do, for the first operator; its own use for everybody. */
export const healthRoutes = ({ machine }: Portal) =>
  new Hono<Env>()
    .get('/use', async (c) => {
      const { at, being } = c.get('visit')
      return c.json(await ownUse(at, being))
    })
    .get('/health', async (c) => c.json(await health(c.get('visit').at)))
    .get('/machine', async (c) => c.json(await machine.health()))

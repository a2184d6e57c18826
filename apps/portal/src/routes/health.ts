import { Hono } from 'hono'
import type { Env, Portal } from '../portal.ts'

/** How the machine of the instance does, for the first operator. */
export const healthRoutes = ({ machine }: Portal) =>
  new Hono<Env>().get('/machine', async (c) => c.json(await machine.health()))

import { randomBytes } from 'node:crypto'
import { TreeosError } from '@treeos/core'
import { Hono } from 'hono'
import { sql } from 'kysely'
import type { Bounds } from '../authorize/bounds.ts'
import type { Env, Portal } from '../portal.ts'
import { contentOfBody } from './content.ts'
import { tellFromOutside, wasTold } from './from-outside.ts'
import { findHook, SALT_BYTES, secretOfHook } from './hooks.ts'
import { signedId } from './standard-webhooks.ts'

/** Of a hook that does not exist. */
const NO_SALT = randomBytes(SALT_BYTES)

/** Webhooks that come. Whoever has the secret of one acts by it; nobody needs a session or a token. */
export const hookRoutes = ({ at, store }: Pick<Portal, 'at' | 'store'>, acts: Bounds['acts']) =>
  new Hono<Env>().post('/:id', async (c) => {
    const id = c.req.param('id')
    const body = new Uint8Array(await c.req.arrayBuffer())
    const hook = await findHook({ store }, id)
    // The secret of a hook that does not exist is as good as any: both take the same time and say the same.
    const signed = signedId(secretOfHook(at, hook ?? { id, salt: NO_SALT }), (name) => c.req.header(name), {
      body,
      now: Date.now(),
    })
    if (hook === null || signed === null)
      throw new TreeosError(
        'UNAUTHORIZED',
        'no hook is here, or its secret did not sign this within the last 5 minutes (https://www.standardwebhooks.com)',
      )
    if (!(await wasTold(at, hook, signed))) await acts(hook.being)
    const content = contentOfBody(body, c.req.header('content-type'))
    const told = await tellFromOutside({ ...at, person: hook.being }, hook, { id: signed, content })
    await store.updateTable('hook').set({ used_at: sql`clock_timestamp()` }).where('id', '=', id).execute()
    return c.json(told)
  })

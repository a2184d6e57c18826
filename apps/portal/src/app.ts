import type { HttpBindings } from '@hono/node-server'
import { refusalOf } from '@treeos/client'
import { ERROR_STATUS, TreeosError } from '@treeos/core'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { authorizeRequests } from './authorize/authorize-requests.ts'
import type { Addresses } from './edge/address.ts'
import { secureHeaders } from './edge/headers.ts'
import { requireOwnName } from './edge/names.ts'
import type { Page } from './edge/page.ts'
import { requireOwnPage } from './edge/same-site.ts'
import type { Tabs } from './inhabit/tabs.ts'
import type { Env, Portal } from './portal.ts'
import { accountRoutes } from './routes/account.ts'
import { budgetRoutes } from './routes/budget.ts'
import { leaveOf } from './routes/ended.ts'
import { healthRoutes } from './routes/health.ts'
import { inhabitRoutes } from './routes/inhabit.ts'
import { liveRoutes } from './routes/live.ts'
import { logRoutes } from './routes/log.ts'
import { openRoutes } from './routes/open.ts'
import { overlayRoutes } from './routes/overlays.ts'
import { peopleRoutes } from './routes/people.ts'
import { reachRoutes } from './routes/reach.ts'
import { recordRoutes } from './routes/record.ts'
import { roleRoutes } from './routes/roles.ts'
import { sessionRoutes } from './routes/session.ts'
import { speechRoutes } from './routes/speech.ts'
import type { Streams } from './routes/streams.ts'
import { whyNotRoutes } from './routes/why-not.ts'
import { worldRoutes } from './routes/world.ts'

export interface AppOptions {
  readonly names: ReadonlySet<string>
  readonly addresses: Addresses
  readonly actsPerMinute?: number | undefined
  readonly streams: Streams
  readonly tabs: Tabs
}

/** All routes. `authorize/who-may-call.ts` lists who may call each of them. */
export const routesOf = (portal: Portal, streams: Streams, tabs: Tabs) => {
  const leave = leaveOf(portal, streams, tabs)
  return new Hono<Env>()
    .route('/api/open', openRoutes(portal))
    .route('/api/open/log', logRoutes(portal))
    .route('/api/account', accountRoutes(portal, leave))
    .route('/api/people', peopleRoutes(portal, leave))
    .route('/api', sessionRoutes(portal, leave))
    .route('/api', worldRoutes(portal))
    .route('/api', speechRoutes())
    .route('/api', recordRoutes(portal))
    .route('/api', healthRoutes(portal))
    .route('/api', roleRoutes())
    .route('/api', whyNotRoutes())
    .route('/api', liveRoutes(portal, streams, tabs))
    .route('/api', inhabitRoutes(tabs))
    .route('/api', reachRoutes())
    .route('/api', overlayRoutes())
    .route('/api', budgetRoutes())
}

/** The address at the other end of the connection. */
const peerOf = ({ env }: Context<Env>): string | undefined =>
  (env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress

/** What the page knows of the routes. */
export type Routes = ReturnType<typeof routesOf>

export function createApp(
  portal: Portal,
  page: Page,
  { names, addresses, actsPerMinute, streams, tabs }: AppOptions,
): Hono<Env> {
  const app = new Hono<Env>()
  app.onError((error, c) => {
    if (!(error instanceof TreeosError)) portal.onError(c.req.routePath, error)
    const refusal = refusalOf(error)
    return c.json({ error: refusal.toJSON() }, ERROR_STATUS[refusal.code] as ContentfulStatusCode)
  })
  app.use(async (c, next) => {
    const peer = peerOf(c)
    const forwarded = addresses.isProxy(peer) ? c.req.header('x-forwarded-host') : undefined
    c.set('host', requireOwnName(forwarded ?? c.req.header('host'), names))
    c.set('address', addresses.of(peer, c.req.header('x-forwarded-for')))
    await next()
  })
  app.use('/api/*', async (c, next) => {
    for (const [name, value] of Object.entries(secureHeaders(null))) c.header(name, value)
    c.header('cache-control', 'no-store')
    requireOwnPage(c.req.raw, c.get('host'))
    await next()
  })
  app.route('/', authorizeRequests(portal, tabs, actsPerMinute))
  app.route('/', routesOf(portal, streams, tabs))
  app.get('*', (c) => page.answer(c.req.path, c.req.header('accept-encoding')))
  return app
}

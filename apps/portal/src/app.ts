import type { HttpBindings } from '@hono/node-server'
import { refusalOf, withSuggestion } from '@treeos/client'
import { ERROR_STATUS, TreeosError } from '@treeos/core'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { a2aRoutes } from './a2a/routes.ts'
import { agUiRoutes } from './ag-ui/routes.ts'
import { apiOf, operationsOf } from './api/api.ts'
import { HOOKS_PATH } from './api/outlets.ts'
import { API_PATH, CHAT_PATH, FILES_PATH, PROGRAM_PATHS } from './api/path.ts'
import { answerProblem, headersOfRefusal, unreadable } from './api/problem.ts'
import { authorizeRequests } from './authorize/authorize-requests.ts'
import type { Bounds } from './authorize/bounds.ts'
import { bearerOf, isForPrograms, type TokenSeats } from './authorize/tokens.ts'
import { type AuthorizedRoute, authorizedRoutes } from './authorize/who-may-call.ts'
import { chatError } from './chat/answer.ts'
import { chatRoutes } from './chat/chat.ts'
import type { Addresses } from './edge/address.ts'
import { bringJson } from './edge/bring-json.ts'
import { sessionCookie } from './edge/cookies.ts'
import { readForwarded } from './edge/forwarded-headers.ts'
import { secureHeaders } from './edge/headers.ts'
import { type OwnNames, originReached, requireOwnName } from './edge/names.ts'
import type { BuiltPage } from './edge/page.ts'
import { pathOf } from './edge/path.ts'
import { toldByApi } from './edge/remedies.ts'
import { requireOwnPage } from './edge/same-site.ts'
import { hookRoutes } from './hooks/routes.ts'
import type { Tabs } from './inhabit/tabs.ts'
import type { Env, Portal, Visit } from './portal.ts'
import { accountRoutes } from './routes/account.ts'
import { answerRoutes } from './routes/answer.ts'
import type { StreamDeps } from './routes/happenings.ts'
import { healthRoutes } from './routes/health.ts'
import { inhabitRoutes } from './routes/inhabit.ts'
import { liveRoutes } from './routes/live.ts'
import { logRoutes } from './routes/log.ts'
import { MCP_PATH, type McpDoor, mcpRoutes } from './routes/mcp.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { openRoutes } from './routes/open.ts'
import { peopleRoutes } from './routes/people.ts'
import { reachRoutes } from './routes/reach.ts'
import { sessionRoutes } from './routes/session.ts'
import { leaveOf } from './routes/session-end.ts'
import type { Streams } from './routes/streams.ts'

export interface AppOptions {
  readonly names: OwnNames
  /** of pages elsewhere that may call what is for programs, with an access token */
  readonly origins: readonly string[]
  readonly addresses: Addresses
  readonly bounded: Bounds
  /** null: nothing is at its path */
  readonly mcp: McpDoor | null
  readonly scrapeToken?: string | undefined
  readonly streams: Streams
  readonly tabs: Tabs
  readonly seats: TokenSeats
}

/** What programs call: each operation says who may. */
export const operationsAround = (around: StreamDeps) => ({
  api: apiOf(around),
  chat: chatRoutes(around.portal),
  a2a: a2aRoutes(around.portal),
  agUi: agUiRoutes(around.portal),
})
type Operations = ReturnType<typeof operationsAround>

/** Every operation for programs, by who may call it. */
export const authorizedOperations = ({ api, chat, a2a, agUi }: Operations): AuthorizedRoute[] => [
  ...operationsOf(api, API_PATH),
  ...operationsOf(chat, CHAT_PATH),
  ...operationsOf(a2a, ''),
  ...operationsOf(agUi, ''),
]

/**
 * All routes. `authorize/who-may-call.ts` lists who may call each of the page's own; an operation of the API
 * says it itself.
 */
export const routesOf = ({ api, chat, a2a, agUi }: Operations, around: StreamDeps, acts: Bounds['acts']) => {
  const { portal, streams, tabs } = around
  const leave = leaveOf(portal, streams, tabs)
  return new Hono<Env>()
    .route(API_PATH, api)
    .route(CHAT_PATH, chat)
    .route('/', a2a)
    .route('/', agUi)
    .route('/api/open', openRoutes(portal))
    .route('/api/open/log', logRoutes(portal))
    .route(HOOKS_PATH, hookRoutes(portal, acts))
    .route('/api/open/answer', answerRoutes(portal))
    .route('/api/account', accountRoutes(portal, leave))
    .route('/api/people', peopleRoutes(portal, leave))
    .route('/api', sessionRoutes(portal, leave))
    .route('/api', healthRoutes(portal))
    .route('/api', liveRoutes(around))
    .route('/api', inhabitRoutes(tabs))
    .route('/api', reachRoutes())
}

/** The address at the other end of the connection. */
const peerOf = ({ env }: Context<Env>): string | undefined =>
  (env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress

/** What the page knows of the routes. */
export type Routes = ReturnType<typeof routesOf>

export function createApp(
  portal: Portal,
  page: BuiltPage,
  { names, origins, addresses, bounded, mcp, scrapeToken, streams, tabs, seats }: AppOptions,
): Hono<Env> {
  const app = new Hono<Env>({ getPath: pathOf })
  app.onError(async (thrown, c) => {
    const visit: Visit | undefined = c.get('visit')
    const error = visit === undefined ? thrown : await withSuggestion(visit.at, visit.being, thrown)
    const refusal = toldByApi(unreadable(error) ?? refusalOf(error))
    if (refusal.code === 'INTERNAL' || refusal.code === 'SERVICE_UNAVAILABLE')
      if (!(error instanceof TreeosError)) portal.onError(c.req.routePath, error)
    if (c.req.path.startsWith(`${CHAT_PATH}/`))
      return c.json(chatError(refusal), ERROR_STATUS[refusal.code], headersOfRefusal(refusal))
    return answerProblem(c, refusal)
  })
  app.use(async (c, next) => {
    const peer = peerOf(c)
    const forwarded = readForwarded((name) => c.req.header(name), addresses.isProxy(peer))
    const host = requireOwnName(forwarded.host ?? c.req.header('host'), names, forwarded.port)
    c.set('host', host)
    c.set('origin', originReached(host, forwarded.proto, names))
    c.set('address', addresses.of(peer, forwarded.for))
    await next()
  })
  if (origins.length > 0) {
    const shared = cors({ origin: [...origins], exposeHeaders: ['mcp-session-id', 'retry-after'] })
    for (const path of [...PROGRAM_PATHS, MCP_PATH]) app.use(path, shared)
  }
  app.on('ALL', [...PROGRAM_PATHS, MCP_PATH], async (c, next) => {
    for (const [name, value] of Object.entries(secureHeaders(null))) c.header(name, value)
    c.header('cache-control', 'no-store')
    // No page of another site can make a browser send a token, and no cookie counts beside one.
    // What is signed needs no origin.
    const isSigned = c.req.path.startsWith(`${HOOKS_PATH}/`)
    if (!isSigned && c.req.path !== MCP_PATH && bearerOf(c.req.raw) === null)
      requireOwnPage(c.req.raw, c.get('host'), {
        bringsFile: c.req.method === 'POST' && c.req.path === FILES_PATH,
        mayBeProgram: isForPrograms(c.req.path) && sessionCookie(c.req.raw, c.get('host')) === undefined,
      })
    if (isForPrograms(c.req.path) && c.req.path !== FILES_PATH) bringJson(c)
    await next()
  })
  const around = { portal, streams, tabs }
  const operations = operationsAround(around)
  const routes = [...authorizedRoutes, ...authorizedOperations(operations)]
  app.route('/', authorizeRequests(portal, routes, { tabs, seats, bounded }))
  app.route('/', routesOf(operations, around, bounded.acts))
  if (scrapeToken !== undefined) app.route('/', metricsRoutes(portal.machine, scrapeToken, bounded))
  if (mcp !== null) app.route('/', mcpRoutes(mcp, origins, bounded))
  app.get('*', (c) => page.answer(c.req.path, c.req.header('accept-encoding')))
  return app
}

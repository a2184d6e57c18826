import type { AuthorizedRoute } from '../authorize/who-may-call.ts'
import type { Portal } from '../portal.ts'
import { beingRoutes } from './beings.ts'
import { describe } from './describe.ts'
import { inboxRoutes } from './inbox.ts'
import { answers, newApi, open, operation } from './operation.ts'
import { overlayRoutes } from './overlays.ts'
import { API_PATH } from './path.ts'
import { roleRoutes } from './roles.ts'
import { threadRoutes } from './threads.ts'
import { verbRoutes } from './verbs.ts'
import { worldRoutes } from './world.ts'

const description = operation({
  method: 'get',
  path: '/openapi.json',
  'x-caller': 'anybody',
  'x-work': 'open',
  operationId: 'openapi',
  summary: 'This description',
  tags: ['description'],
  responses: answers(open<object>('OpenAPI 3.1').openapi({ type: 'object' }), 'the description of the API'),
})

/** The API of a reality, for the page and for programs: the same operations, and the same authorization. */
export function apiOf(portal: Portal) {
  const operations = newApi()
    .route('/', verbRoutes())
    .route('/', inboxRoutes())
    .route('/', beingRoutes(portal))
    .route('/', threadRoutes())
    .route('/', overlayRoutes())
    .route('/', roleRoutes())
    .route('/', worldRoutes())
  let described: object | null = null
  const once = () => {
    described ??= describe(operations)
    return described
  }
  return operations.openapi(description, (c) => c.json(once(), 200))
}

/** The operations of the API by who may call them, as they say it themselves. */
export const operationsOf = (api: Pick<ReturnType<typeof apiOf>, 'openAPIRegistry'>): AuthorizedRoute[] =>
  api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { method, path, 'x-caller': caller, 'x-work': work } = definition.route
    return [
      {
        method: method.toUpperCase(),
        path: API_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        caller,
        work,
      },
    ]
  })

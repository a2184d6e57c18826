import type { AuthorizedRoute } from '../authorize/who-may-call.ts'
import type { StreamDeps } from '../routes/happenings.ts'
import { approvalRoutes } from './approvals.ts'
import { auditRoutes } from './audit.ts'
import { beingRoutes } from './beings.ts'
import { openApiDocument } from './describe.ts'
import { fileRoutes } from './files.ts'
import { inboxRoutes } from './inbox.ts'
import { inhabitingRoutes } from './inhabit.ts'
import { journalRoutes } from './journal.ts'
import { latelyRoutes } from './lately.ts'
import { answers, anyObject, newApi, operation } from './operation.ts'
import { outletRoutes } from './outlets.ts'
import { overlayRoutes } from './overlays.ts'
import { receiptRoutes } from './receipts.ts'
import { replayRoutes } from './replays.ts'
import { roleRoutes } from './roles.ts'
import { searchRoutes } from './search.ts'
import { threadRoutes } from './threads.ts'
import { tokenRoutes } from './tokens.ts'
import { toolRoutes } from './tools.ts'
import { trialRoutes } from './trials.ts'
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
  responses: answers(anyObject<object>('OpenAPI 3.1'), 'the description of the API'),
})

/** The API of a reality, for the page and for programs: the same operations, and the same authorization. */
export function apiOf(around: StreamDeps) {
  const operations = newApi()
    .route('/', verbRoutes(around.portal))
    .route('/', fileRoutes())
    .route('/', inboxRoutes())
    .route('/', approvalRoutes())
    .route('/', beingRoutes(around.portal))
    .route('/', threadRoutes())
    .route('/', overlayRoutes())
    .route('/', roleRoutes())
    .route('/', worldRoutes(around.portal))
    .route('/', searchRoutes())
    .route('/', latelyRoutes())
    .route('/', receiptRoutes(around.portal))
    .route('/', auditRoutes(around.portal))
    .route('/', trialRoutes(around.portal))
    .route('/', replayRoutes(around.portal))
    .route('/', toolRoutes(around.portal))
    .route('/', tokenRoutes(around.portal))
    .route('/', outletRoutes(around.portal))
    .route('/', inhabitingRoutes(around))
    .route('/', journalRoutes(around))
  let described: object | null = null
  const once = () => {
    described ??= openApiDocument(operations)
    return described
  }
  return operations.openapi(description, (c) => c.json(once(), 200))
}

/** Operations by who may call them, as they say it themselves. @param base where they are */
export const operationsOf = (
  api: Pick<ReturnType<typeof apiOf>, 'openAPIRegistry'>,
  base: string,
): AuthorizedRoute[] =>
  api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { method, path, 'x-caller': caller, 'x-work': work } = definition.route
    return [
      {
        method: method.toUpperCase(),
        path: base + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        caller,
        work,
      },
    ]
  })

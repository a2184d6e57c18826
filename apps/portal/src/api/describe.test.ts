import { expect, it } from 'vitest'
import type { Portal } from '../portal.ts'
import { listRoutes } from '../route-list.ts'
import { apiOf } from './api.ts'
import { openApiDocument } from './describe.ts'

const portal = { at: {}, temporal: {}, machine: {} } as unknown as Portal

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
}
const document = openApiDocument(apiOf({ portal } as never)) as {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly type?: string }>> }
}
const operations = Object.entries(document.paths).flatMap(([path, ofPath]) =>
  Object.entries(ofPath).map(([method, operation]) => ({
    route: `${method.toUpperCase()} /api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ...operation,
  })),
)

it('the description names every operation that the router has', () => {
  const routed = listRoutes(portal)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => route.includes(' /api/v1/'))
  expect(operations.map(({ route }) => route).toSorted()).toEqual(routed.toSorted())
})

it('each operation has a name of its own, says what it does and what it answers, and may refuse', () => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { route, summary, responses } of operations) {
    expect([route, typeof summary]).toEqual([route, 'string'])
    expect([route, Object.keys(responses)]).toEqual([route, ['200', 'default']])
  }
})

it('the description alone, and who asks for a token, needs none', () => {
  const open = operations.filter(({ security }) => security?.length === 0)
  expect(open.map(({ route }) => route)).toEqual([
    'POST /api/v1/terminals',
    'POST /api/v1/terminals/wait',
    'GET /api/v1/openapi.json',
  ])
})

it('names the shapes of what is answered, and of problems', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.components.schemas).toMatchObject({
    Moment: { type: 'object' },
    Problem: { type: 'object' },
    Thread: { type: 'object' },
  })
})

import type { OpenAPIHono } from '@hono/zod-openapi'
import { ERROR_STATUS } from '@treeos/core'
import manifest from '../../package.json' with { type: 'json' }
import type { Env } from '../portal.ts'
import answerSchemas from './generated/answer-schemas.json' with { type: 'json' }

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', example: 'urn:treeos:problem:forbidden' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'what is wrong, and what would be right' },
    code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
    context: { description: 'the particulars, such as the moment that was refused' },
  },
} as const

const REFUSAL = {
  description: 'Problem details (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/**
 * The description of the API. Every operation may answer with problem details; only the description itself
 * needs no token.
 */
export function openApiDocument(api: OpenAPIHono<Env>): object {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'TreeOS',
      version: manifest.version,
      description:
        'The API of a reality. A program sends `Authorization: Bearer TOKEN`; `treeos token create` makes one. ' +
        'The gates decide for the being of the token, as for everybody.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
  })
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(answerSchemas as object), Problem: PROBLEM as never },
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
  }
  for (const path of Object.values(document.paths ?? {}))
    for (const operation of Object.values(path) as {
      responses: Record<string, unknown>
      security?: unknown[]
      'x-caller'?: string
    }[]) {
      operation.responses.default = REFUSAL
      if (operation['x-caller'] === 'anybody') operation.security = []
    }
  return withShapes(document) as object
}

/** Puts a reference to its schema where a value has a shape that the domain owns. */
function withShapes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShapes)
  if (typeof value !== 'object' || value === null) return value
  if (!('x-shape' in value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withShapes(one)]))
  const { 'x-shape': name, type, description } = value as Record<string, unknown>
  const shape = {
    $ref: `#/components/schemas/${name}`,
    ...(description === undefined ? {} : { description }),
  }
  return Array.isArray(type) && type.includes('null') ? { anyOf: [shape, { type: 'null' }] } : shape
}

import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import {
  describeFault,
  type Json,
  type JsonObject,
  requireBeingName,
  requireContent,
  TreeosError,
} from '@treeos/core'
import type { Caller } from '../authorize/who-may-call.ts'
import type { Work } from '../authorize/work.ts'
import type { Env } from '../portal.ts'
import type { AnswerTypes } from './answer-types.ts'

/**
 * What an operation of the API says of itself, beside what OpenAPI knows. An operation without it does not
 * compile.
 */
export interface OperationAccess {
  readonly 'x-caller': Caller
  readonly 'x-work': Work
}

/** Describes one operation: the same schemas check its input, type its answer and are in the description. */
export const operation = <
  const P extends string,
  const R extends Omit<RouteConfig, 'path'> & { path: P } & OperationAccess,
>(
  config: R,
) => createRoute<P, R>(config)

/** Operations of one part of the API. Input that its schema refuses is INVALID_INPUT. */
export const newApi = () =>
  new OpenAPIHono<Env>({
    defaultHook: (read) => {
      if (read.success) return
      const { issues } = read.error
      const where = issues[0]?.path.length === 0 ? `${read.target}: ` : ''
      throw new TreeosError('INVALID_INPUT', where + describeFault(issues))
    },
  })

export const body = <const S extends z.ZodType>(schema: S) =>
  ({ content: { 'application/json': { schema } }, required: true }) as const

export const answers = <const S extends z.ZodType>(schema: S, description: string) =>
  ({ 200: { description, content: { 'application/json': { schema } } } }) as const

/**
 * A value whose shape the domain owns. `describe` puts the schema in its place that was made from this type.
 */
export const typed = <const Name extends keyof AnswerTypes>(name: Name, description?: string) =>
  z
    .custom<AnswerTypes[Name]>((value) => value !== undefined)
    .openapi({ type: 'object', 'x-shape': name, ...(description === undefined ? {} : { description }) })

/** An object whose form is said elsewhere: by a protocol, or by nothing. */
export const anyObject = <T extends object = JsonObject>(description: string) =>
  z
    .custom<T>((value) => value !== undefined)
    .openapi({ type: 'object', additionalProperties: true, description })

/** Any JSON, which may be null. */
export const anyJson = (description: string) =>
  z
    .custom<Json>((value) => value !== undefined)
    .openapi({ type: ['object', 'array', 'string', 'number', 'boolean', 'null'], description })

/**
 * What the domain itself checks, whose messages say what is right. `z.unknown()` alone would take a body
 * without it.
 */
export const given = z.unknown().refine((value) => value !== undefined, 'is missing')

/** Content of a being or for one: any JSON, at most 64 KiB. */
export const content = given
  .transform((value) => requireContent(value, 'content'))
  .openapi({ description: 'any JSON, mostly text; at most 64 KiB' })

/** A text that is compared with texts of the record. No text of Postgres holds a NUL. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'holds a NUL, which no text here does')

export const id = text(200).min(1)

/** A text that is not a being's name is refused by the domain, whose message says what a name is. */
export const beingName = z
  .string()
  .max(200)
  .transform((name) => requireBeingName(name))
  .openapi({ type: 'string', example: 'solomon', description: 'the name of a being, without @' })

export const ofBeing = z.object({ name: beingName })
/** Moments are counted by an integer of Postgres. */
export const MOMENTS_MAX = 2_147_483_647
const momentNumber = z.coerce.number().int().min(1).max(MOMENTS_MAX)
export const ofMoment = ofBeing.extend({ n: momentNumber })

const ITEMS_MAX = 200
const ITEMS = 50
export const paging = z.object({
  cursor: text(300).min(1).optional().openapi({ description: '`next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(ITEMS_MAX).default(ITEMS),
})

/** One page of a list. */
export const page = <const S extends z.ZodType>(items: S) =>
  z.object({
    items: z.array(items).readonly(),
    next: z
      .string()
      .nullable()
      .openapi({ description: 'to give as `cursor` for the next page; null: this was the last one' }),
  })

/** A cursor that is a number. @throws {TreeosError} INVALID_INPUT */
export function numberIn(cursor: string | undefined, max = Number.MAX_SAFE_INTEGER): number | undefined {
  if (cursor === undefined) return undefined
  const number = Number(cursor)
  if (/^\d{1,15}$/.test(cursor) && number <= max) return number
  throw new TreeosError('INVALID_INPUT', 'cursor: is not one that this list gave')
}

const KEY_MAX = 255
export const idempotency = z.object({
  'idempotency-key': text(KEY_MAX)
    .min(1)
    .optional()
    .openapi({
      description:
        'Names this request. Sent again with the same key by the same being, it is done once, and answered with what came of it. ' +
        'The same key with another request is RESOURCE_CONFLICT.',
    }),
})

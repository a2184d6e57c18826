import type { HttpBindings } from '@hono/node-server'
import { z } from '@hono/zod-openapi'
import { giveFile, readKeptFile } from '@treeos/client'
import type { Context } from 'hono'
import type { Env } from '../portal.ts'
import { answers, id, idempotency, newApi, operation, text } from './operation.ts'

const NAME_MAX = 1024
const bytes = z.string().openapi({ format: 'binary' })
const KeptFile = z
  .object({
    thing: z.string().openapi({ description: 'address of the thing, which words name in `files`' }),
    file: z.object({ digest: z.string(), mediaType: z.string(), bytes: z.int(), name: z.string() }),
  })
  .openapi('KeptFile')

const giving = operation({
  method: 'post',
  path: '/files',
  'x-caller': 'signed-in',
  'x-work': 'file',
  operationId: 'giveFile',
  summary: 'Give a picture or another file, which becomes a thing of mine',
  description:
    'The body is the file, and `content-type` says what it is. It is given to a being by words: `{"text": …, "files": [thing]}`. ' +
    'At most 5 MiB, unless the operator sets another bound.',
  tags: ['files'],
  request: {
    headers: idempotency,
    query: z.object({ name: text(NAME_MAX).min(1).openapi({ example: 'cat.png' }) }),
    body: { content: { 'application/octet-stream': { schema: bytes } }, required: true },
  },
  responses: answers(KeptFile, 'the thing that holds it'),
})

const reading = operation({
  method: 'get',
  path: '/files/{id}',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'readFile',
  summary: 'The bytes of a file that I may read',
  tags: ['files'],
  request: {
    params: z.object({ id: id.openapi({ description: 'of its thing, without `matter:`' }) }),
    query: z.object({
      told: id.optional().openapi({ description: 'the entry of my inbox that tells of it' }),
    }),
  },
  responses: {
    200: { description: 'its bytes', content: { 'application/octet-stream': { schema: bytes } } },
  },
})

/** Nothing in a file runs or is drawn by being read here: a browser saves it. */
const UNTRUSTED = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Pictures that hold no code. Their bytes are what they are said to be. */
const PREVIEWED: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Files that people and programs give, and read again. */
export const fileRoutes = () =>
  newApi()
    .openapi(giving, async (c) => {
      const { at, being } = c.get('visit')
      const { name } = c.req.valid('query')
      const key = c.req.valid('header')['idempotency-key']
      const mediaType = c.req.header('content-type') ?? null
      const bytes = new Uint8Array(await c.req.arrayBuffer())
      return c.json(await giveFile(at, being, { name, mediaType, bytes }, key), 200)
    })
    .openapi(reading, async (c) => {
      const { at, being } = c.get('visit')
      const { file, bytes } = await readKeptFile(
        at,
        being,
        c.req.valid('param').id,
        c.req.valid('query').told,
      )
      keepUntilSent(c)
      return c.body(Uint8Array.from(bytes), 200, {
        ...UNTRUSTED,
        'content-type': PREVIEWED.has(file.mediaType) ? file.mediaType : 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${quotedName(file.name)}`,
      })
    })

/** A reader may be slow, and until it has all of it the file is in memory: the turn lasts as long. */
function keepUntilSent(c: Context<Env>): void {
  const { outgoing } = c.env as Partial<HttpBindings>
  if (outgoing?.closed === false) outgoing.once('close', c.get('turn').keep())
}

/** As RFC 8187 writes it. */
const quotedName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*!]/g, (found) => `%${found.charCodeAt(0).toString(16)}`)

import { z } from '@hono/zod-openapi'
import {
  endOwnToken,
  findOwnToken,
  issueToken,
  revokeToken,
  TOKEN_DAYS_MAX,
  tokensPage,
} from '@treeos/client'
import { parseStance, stanceOf, TreeosError } from '@treeos/core'
import { askForTerminal, isTerminalAllowed, terminalsOf } from '../accounts/terminals.ts'
import { bearerOf } from '../authorize/tokens.ts'
import type { Portal, Visit } from '../portal.ts'
import { listing, ownPage } from './list.ts'
import { answers, body, id, newApi, operation, paging, text } from './operation.ts'
import { stance } from './shapes.ts'

const AccessToken = z
  .object({
    id: z.string(),
    being: stance,
    issuedBy: stance,
    issuedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .openapi('AccessToken')

const ListedToken = AccessToken.extend({
  terminal: z
    .object({ name: z.string(), address: z.string() })
    .nullable()
    .openapi({ description: 'that its person let by a code: what it calls itself, and where it asked from' }),
}).openapi('ListedToken')

const listed = listing(
  {
    path: '/tokens',
    'x-caller': 'person',
    items: ListedToken,
    operationId: 'tokens',
    summary: 'Access tokens that I may revoke, without their secrets, the newest first',
    tags: ['tokens'],
  },
  { query: paging },
)

const issuing = operation({
  method: 'post',
  path: '/tokens',
  // A token that could make others would outlive its revocation.
  'x-caller': 'person-signed-in-lately',
  'x-work': 'act',
  operationId: 'createToken',
  summary: 'Make an access token for myself or for a descendant',
  description: 'A person who signed in lately makes one. An access token makes no others.',
  tags: ['tokens'],
  request: {
    body: body(
      z.strictObject({
        being: text(200).min(1).optional().openapi({ description: 'left out: myself', example: '@solomon' }),
        days: z
          .number()
          .int()
          .min(1)
          .max(TOKEN_DAYS_MAX)
          .optional()
          .openapi({ description: '30 when left out' }),
      }),
    ),
  },
  responses: answers(
    AccessToken.extend({ secret: z.string().openapi({ description: 'it is told this once' }) }),
    'the token with its secret',
  ),
})

const revoking = operation({
  method: 'post',
  path: '/tokens/revoke',
  'x-caller': 'person',
  'x-work': 'change',
  operationId: 'revokeToken',
  summary: 'Revoke an access token for good',
  tags: ['tokens'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(AccessToken, 'the token'),
})

const telling = operation({
  method: 'get',
  path: '/token',
  'x-caller': 'signed-in',
  'x-work': 'read',
  operationId: 'token',
  summary: 'The access token of this request, and the reality that it opens',
  tags: ['tokens'],
  responses: answers(AccessToken.extend({ reality: z.string() }), 'the token without its secret'),
})

const ending = operation({
  method: 'post',
  path: '/token/end',
  'x-caller': 'signed-in',
  'x-work': 'change',
  operationId: 'endToken',
  summary: 'Revoke the access token of this request',
  tags: ['tokens'],
  responses: answers(AccessToken, 'the token'),
})

const WORD =
  'the `Bearer` is a secret that the terminal has made: `treeos_` and 43 random characters of base64url'

const asking = operation({
  method: 'post',
  path: '/terminals',
  'x-caller': 'anybody',
  'x-work': 'link',
  operationId: 'askForTerminal',
  summary: 'Ask for an access token, which a person allows on the page by a code',
  description: `It has no access token yet: ${WORD}. Once it is allowed, this is the secret of one.`,
  tags: ['tokens'],
  request: {
    body: body(
      z.strictObject({
        name: text(80).min(1).openapi({ description: 'which the page shows', example: 'ann at laptop' }),
      }),
    ),
  },
  responses: answers(
    z.object({
      code: z.string().openapi({ description: 'for the person to type into the page', example: 'BCDF-GHJK' }),
      page: z.string().openapi({ description: 'the path of that page' }),
      seconds: z.int().openapi({ description: 'how long the code is good' }),
    }),
    'a code',
  ),
})

const awaiting = operation({
  method: 'post',
  path: '/terminals/wait',
  'x-caller': 'anybody',
  'x-work': 'link',
  operationId: 'isTerminalAllowed',
  summary: 'Whether a person allowed the terminal, to be asked every 2 s',
  description: `As \`askForTerminal\`, ${WORD}.`,
  tags: ['tokens'],
  responses: answers(z.object({ allowed: z.boolean() }), 'then its secret is that of an access token'),
})

/** Where a person types the code of a terminal. */
const TERMINAL_PAGE = '/terminal'

function secretIn(request: Request): string {
  const secret = bearerOf(request)
  if (secret !== null) return secret
  throw new TreeosError('UNAUTHORIZED', `send \`Authorization: Bearer SECRET\`: ${WORD}`)
}

function tokenIn({ token }: Visit): string {
  if (token !== null) return token.secret
  throw new TreeosError('INVALID_INPUT', 'this request has a session, and no access token')
}

/** By which programs act. Persons alone have them in hand. */
export const tokenRoutes = ({ at: portal, store }: Pick<Portal, 'at' | 'store'>) =>
  newApi()
    .openapi(telling, async (c) => {
      const visit = c.get('visit')
      const { name: reality } = visit.at.reality
      return c.json({ ...(await findOwnToken(visit.at, tokenIn(visit))), reality }, 200)
    })
    .openapi(ending, async (c) => {
      return c.json(await endOwnToken(portal, tokenIn(c.get('visit'))), 200)
    })
    .openapi(asking, async (c) => {
      const asked = { secret: secretIn(c.req.raw), address: c.get('address'), ...c.req.valid('json') }
      return c.json({ ...(await askForTerminal(store, asked)), page: TERMINAL_PAGE }, 200)
    })
    .openapi(awaiting, async (c) =>
      c.json({ allowed: await isTerminalAllowed(store, secretIn(c.req.raw)) }, 200),
    )
    .openapi(listed, async (c) => {
      const { items, next } = await ownPage(c.get('visit'), c.req.valid('query'), tokensPage)
      const terminals = await terminalsOf(
        store,
        items.map(({ id }) => id),
      )
      const told = items.map((token) => ({ ...token, terminal: terminals.get(token.id) ?? null }))
      return c.json({ items: told, next }, 200)
    })
    .openapi(issuing, async (c) => {
      const { at, being: as } = c.get('visit')
      const { being = stanceOf(as), days } = c.req.valid('json')
      return c.json(await issueToken(at, { being: parseStance(being), as, days }), 200)
    })
    .openapi(revoking, async (c) => {
      const { at, being: as } = c.get('visit')
      return c.json(await revokeToken(at, { id: c.req.valid('json').id, as }), 200)
    })

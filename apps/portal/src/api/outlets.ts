import { z } from '@hono/zod-openapi'
import { pace } from '@treeos/client'
import { addHook, listHooks, removeHook } from '../hooks/hooks.ts'
import {
  addOutlet,
  confirmOutlet,
  listOutlets,
  type OutletKind,
  type OutletSubject,
  removeOutlet,
  retryOutlet,
  WANTS,
} from '../outlets/outlets.ts'
import type { Portal } from '../portal.ts'
import { answers, body, id, newApi, operation, text } from './operation.ts'

/** Each new address of e-mail costs a letter that its owner may not want. */
const NEW_ADDRESSES = { points: 8, seconds: 3600, burst: 8 }
const NAME_MAX = 80
const ADDRESS_MAX = 2048

const wants = z.enum(WANTS as unknown as [OutletSubject, ...OutletSubject[]])
const Outlet = z
  .object({
    id: z.string(),
    kind: z.enum(['webhook', 'email'] satisfies [OutletKind, OutletKind]),
    address: z.string(),
    wants: z.array(wants).readonly(),
    confirmed: z.boolean(),
    createdAt: z.iso.datetime(),
    deliveries: z.object({
      due: z.int(),
      sent: z.int(),
      dead: z.int().openapi({ description: 'given up' }),
      fault: z.string().nullable().openapi({ description: 'why the last try failed that failed' }),
    }),
  })
  .openapi('Outlet')

const does = z.union([
  z.strictObject({ summon: text(200).min(1) }),
  z.strictObject({ signal: text(200).min(1) }),
])
const WebhookIn = z
  .object({
    id: z.string(),
    name: z.string(),
    does,
    createdAt: z.iso.datetime(),
    usedAt: z.iso.datetime().nullable(),
  })
  .openapi('Hook')

const secret = z.string().openapi({ description: 'of Standard Webhooks, which its sender signs with' })
/** Whoever found an open session makes no way in and no way out that lasts. */
const CHANGES = { 'x-caller': 'person-signed-in-lately', 'x-work': 'act' } as const
const LISTS = { 'x-caller': 'person', 'x-work': 'read' } as const
const done = z.object({ done: z.literal(true) })

const listing = operation({
  ...LISTS,
  method: 'get',
  path: '/outlets',
  operationId: 'outlets',
  summary: 'Where I am told what waits in my inbox, at most 16',
  tags: ['outlets'],
  responses: answers(z.array(Outlet).readonly(), 'outlets'),
})

const adding = operation({
  ...CHANGES,
  method: 'post',
  path: '/outlets',
  operationId: 'addOutlet',
  summary: 'Be told by a webhook or by e-mail what waits in my inbox',
  tags: ['outlets'],
  request: {
    body: body(
      z.strictObject({
        kind: z.enum(['webhook', 'email']),
        address: text(ADDRESS_MAX).min(1).openapi({ description: 'a URL, or an address of e-mail' }),
        wants: z
          .array(wants)
          .min(1)
          .max(WANTS.length)
          .optional()
          .openapi({ description: 'all when left out' }),
      }),
    ),
  },
  responses: answers(Outlet.extend({ secret: secret.optional() }), 'the outlet, and the secret of a webhook'),
})

const confirming = operation({
  ...CHANGES,
  method: 'post',
  path: '/outlets/confirm',
  operationId: 'confirmOutlet',
  summary: 'Give the code that an address of e-mail was sent',
  tags: ['outlets'],
  request: { body: body(z.strictObject({ id, code: text(40).min(1) })) },
  responses: answers(done, 'it is told what waits from now on'),
})

const retrying = operation({
  ...CHANGES,
  'x-caller': 'person',
  method: 'post',
  path: '/outlets/retry',
  operationId: 'retryOutlet',
  summary: 'Try again what was given up',
  tags: ['outlets'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(z.object({ retried: z.int() }), 'how many'),
})

const removing = operation({
  ...CHANGES,
  'x-caller': 'person',
  method: 'post',
  path: '/outlets/remove',
  operationId: 'removeOutlet',
  summary: 'Be told there no more',
  tags: ['outlets'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(done, 'it is gone'),
})

const listingHooks = operation({
  ...LISTS,
  method: 'get',
  path: '/hooks',
  operationId: 'hooks',
  summary: 'Webhooks by which programs act as me, at most 16',
  tags: ['hooks'],
  responses: answers(z.array(WebhookIn).readonly(), 'hooks'),
})

const addingHook = operation({
  ...CHANGES,
  method: 'post',
  path: '/hooks',
  operationId: 'addHook',
  summary: 'Let a program act as me by a signed webhook: summon a being, or publish a signal',
  tags: ['hooks'],
  request: {
    body: body(
      z.strictObject({
        name: text(NAME_MAX).min(1),
        does: does.openapi({ description: '{"summon": stance} or {"signal": key with its namespace}' }),
      }),
    ),
  },
  responses: answers(
    WebhookIn.extend({ secret, path: z.string().openapi({ description: 'where it is sent' }) }),
    'the hook',
  ),
})

const removingHook = operation({
  ...CHANGES,
  'x-caller': 'person',
  method: 'post',
  path: '/hooks/remove',
  operationId: 'removeHook',
  summary: 'Take a webhook away',
  tags: ['hooks'],
  request: { body: body(z.strictObject({ id })) },
  responses: answers(done, 'it is gone'),
})

export const HOOKS_PATH = '/api/open/hooks'

/** Ways out of an inbox, beside the page; and ways in, beside sessions and tokens. */
export const outletRoutes = ({ at, store }: Pick<Portal, 'at' | 'store'>) => {
  const newAddress = pace(NEW_ADDRESSES)
  const place = { at, store }
  return newApi()
    .openapi(listing, async (c) => c.json(await listOutlets(place, c.get('visit').being), 200))
    .openapi(adding, async (c) => {
      const { being } = c.get('visit')
      const wanted = c.req.valid('json')
      if (wanted.kind === 'email') await newAddress(being)
      return c.json(await addOutlet(place, being, wanted), 200)
    })
    .openapi(confirming, async (c) => {
      await confirmOutlet(place, c.get('visit').being, c.req.valid('json'))
      return c.json({ done: true } as const, 200)
    })
    .openapi(retrying, async (c) => {
      const retried = await retryOutlet(place, c.get('visit').being, c.req.valid('json').id)
      return c.json({ retried }, 200)
    })
    .openapi(removing, async (c) => {
      await removeOutlet(place, c.get('visit').being, c.req.valid('json').id)
      return c.json({ done: true } as const, 200)
    })
    .openapi(listingHooks, async (c) => c.json(await listHooks(place, c.get('visit').being), 200))
    .openapi(addingHook, async (c) => {
      const made = await addHook(place, c.get('visit').being, c.req.valid('json'))
      return c.json({ ...made, path: `${HOOKS_PATH}/${made.id}` }, 200)
    })
    .openapi(removingHook, async (c) => {
      await removeHook(place, c.get('visit').being, c.req.valid('json').id)
      return c.json({ done: true } as const, 200)
    })
}

import { Hono } from 'hono'
import { z } from 'zod'
import { setSigning } from '../accounts/act-signing.ts'
import { beginAttempt, ofSession, takeAttempt } from '../accounts/attempts.ts'
import { giveIdentity } from '../accounts/identities.ts'
import { askForPasskey, checkNewPasskey, siteOf } from '../accounts/passkeys.ts'
import { endSessions, listSessions } from '../accounts/sessions.ts'
import { allowTerminal, endTerminals, requireTerminal } from '../accounts/terminals.ts'
import {
  removeIdentity,
  removePasskey,
  removePassword,
  renamePasskey,
  setPassword,
  waysOf,
} from '../accounts/ways.ts'
import { originOf } from '../edge/sign-in.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import { input } from './input.ts'
import { made, password, requireProvider, returned } from './open.ts'
import type { SessionLeaver } from './session-end.ts'

const name = z.string().trim().min(1).max(80)
const id = z.string().min(1).max(1400)
/** as somebody typed it */
const code = z.string().max(40)
const sessions = z.union([z.enum(['all', 'others']), z.uuid()])

/** The own account: how its person signs in, and where it is signed in. */
export const accountRoutes = (portal: Portal, leave: SessionLeaver) => {
  const { store, provider } = portal
  /** Terminals are others: they end with all sessions that are not one by its id. */
  const end = async ({ at, person }: Visit, which: Parameters<typeof endSessions>[2]): Promise<number> => {
    const isOne = which !== 'all' && 'id' in which
    const terminals = isOne ? 0 : await endTerminals(at, store, person)
    return terminals + (await leave(await endSessions(store, person, which)))
  }
  /** Whoever was signed in by what was changed is not any more. */
  const endOthers = (visit: Visit) => end(visit, { except: visit.session })
  return new Hono<Env>()
    .get('/', async (c) => {
      const { person, session, isFresh } = c.get('visit')
      const [ways, sessions] = await Promise.all([waysOf(store, person), listSessions(store, person)])
      const own = sessions.map((one) => ({ ...one, isThis: one.id === session }))
      return c.json({ ...ways, sessions: own, isFresh, provider: provider?.name ?? null })
    })
    .post('/password', input('json', z.object({ password: password.nullable() })), async (c) => {
      const visit = c.get('visit')
      const { password } = c.req.valid('json')
      if (password === null) await removePassword(store, visit.person)
      else await setPassword(store, visit.person, password)
      return c.json({ ended: await endOthers(visit) })
    })
    .post('/passkeys', input('json', z.object({ name })), async (c) => {
      const { person: being, session } = c.get('visit')
      const { name } = c.req.valid('json')
      const asked = { being, bound: ofSession(session), name, reality: portal.at.reality.name }
      return c.json(await askForPasskey(store, asked, siteOf(originOf(c))))
    })
    .post('/passkeys/made', input('json', made), async (c) => {
      const { person, session } = c.get('visit')
      const answer = { ...c.req.valid('json'), bound: ofSession(session) }
      const give = await checkNewPasskey(store, answer, siteOf(originOf(c)))
      await store.transaction().execute((tx) => give(tx, person))
      return c.json({ added: true })
    })
    .post('/passkeys/rename', input('json', z.object({ id, name })), async (c) => {
      await renamePasskey(store, c.get('visit').person, c.req.valid('json'))
      return c.json({ renamed: true })
    })
    .post('/passkeys/signing', input('json', z.object({ id, signs: z.boolean() })), async (c) => {
      const { at, person } = c.get('visit')
      await setSigning(at, store, { person, ...c.req.valid('json') })
      return c.json({ set: true })
    })
    .post('/passkeys/remove', input('json', z.object({ id })), async (c) => {
      const visit = c.get('visit')
      await removePasskey(store, visit.person, c.req.valid('json').id)
      return c.json({ ended: await endOthers(visit) })
    })
    .post('/identity', input('json', z.object({ connect: z.literal(true) })), async (c) => {
      const { session } = c.get('visit')
      const attempt = await beginAttempt(store, { kind: 'oidc-add', bound: ofSession(session) })
      return c.json({ attempt, url: await requireProvider(provider).addressFor(attempt, originOf(c)) })
    })
    .post('/identity/returned', input('json', returned), async (c) => {
      const { person, session } = c.get('visit')
      const { attempt, query } = c.req.valid('json')
      await takeAttempt(store, attempt, { kind: 'oidc-add', bound: ofSession(session) })
      const account = await requireProvider(provider).accountOf(attempt, originOf(c), query)
      await store.transaction().execute((tx) => giveIdentity(account)(tx, person))
      return c.json({ added: true })
    })
    .post('/identity/remove', input('json', z.object({ issuer: z.string().max(2048) })), async (c) => {
      const visit = c.get('visit')
      await removeIdentity(store, visit.person, c.req.valid('json').issuer)
      return c.json({ ended: await endOthers(visit) })
    })
    .post('/terminal', input('json', z.object({ code })), async (c) =>
      c.json(await requireTerminal(store, c.req.valid('json').code)),
    )
    .post('/terminal/allow', input('json', z.object({ code })), async (c) => {
      const { at, person: as } = c.get('visit')
      return c.json(await allowTerminal(at, store, { ...c.req.valid('json'), as }))
    })
    .post('/sessions/end', input('json', z.object({ which: sessions })), async (c) => {
      const visit = c.get('visit')
      const { which } = c.req.valid('json')
      const chosen = which === 'all' ? which : which === 'others' ? { except: visit.session } : { id: which }
      return c.json({ ended: await end(visit, chosen) })
    })
}

import {
  authorizeAllPasts,
  authorizePast,
  requireToken,
  type SignAct,
  suggesting,
  type VerifiedToken,
} from '@treeos/client'
import { type BeingName, parseStance, requireBeingName, TreeosError } from '@treeos/core'
import { type Context, Hono } from 'hono'
import { SIGNED_HEADER, signingFor } from '../accounts/act-signing.ts'
import { isKnownDevice } from '../accounts/devices.ts'
import { siteOf } from '../accounts/passkeys.ts'
import { findSession } from '../accounts/sessions.ts'
import { CHAT_PATH, PROGRAM_PATHS } from '../api/path.ts'
import { deviceCookie, sessionCookie } from '../edge/cookies.ts'
import { KEY_HEADER, tokenMissing } from '../edge/same-site.ts'
import { originOf } from '../edge/sign-in.ts'
import type { Tabs } from '../inhabit/tabs.ts'
import type { Env, Portal, Visit } from '../portal.ts'
import type { Bounds } from './bounds.ts'
import { runInTurn } from './run-in-turn.ts'
import { bearerOf, isForPrograms, type TokenSeats } from './tokens.ts'
import { drivingVisit, mayStay, visitOf } from './visit.ts'
import type { AuthorizedRoute } from './who-may-call.ts'
import { WORK, type Work } from './work.ts'

interface AuthorizeDeps {
  readonly tabs: Tabs
  readonly seats: TokenSeats
  readonly bounded: Bounds
}

/** The header in which a program names the being as which it acts: one that its person drives. */
const AS_HEADER = 'treeos-as'
/** The header in which a tab that drives a being sends its secret. */
const TAB_HEADER = 'x-treeos-tab'
const SAFE = new Set(['GET', 'HEAD'])

/**
 * Lets a request through to its route when its caller may call that route, as `routes` lists it, and finds
 * out as whom it acts. The routes come after this.
 */
export function authorizeRequests(
  portal: Portal,
  routes: readonly AuthorizedRoute[],
  { tabs, seats, bounded }: AuthorizeDeps,
): Hono<Env> {
  const stays = (visit: Visit) => mayStay(portal, tabs, visit)

  /** A program: no cookie counts beside a token, which no other site can make a browser send. */
  async function visitByToken(c: Context<Env>, secret: string): Promise<Visit> {
    const found = await grantOf(c.req.path, secret).catch(async (error: unknown) => {
      await bounded.strangers.unknown(c.get('address'))
      throw error
    })
    const visit = await seats.visitOf(found, secret, bounded)
    const as = c.req.header(AS_HEADER)
    return as === undefined ? visit : drivingVisit(visit, parseStance(as))
  }

  async function requireVisit(c: Context<Env>): Promise<Visit> {
    const secret = bearerOf(c.req.raw)
    if (secret !== null) return visitByToken(c, secret)
    const cookie = sessionCookie(c.req.raw, c.get('host')) ?? ''
    const key = c.req.header(KEY_HEADER) ?? ''
    const session = await findSession(portal.store, { cookie, key })
    if (session === null) {
      await bounded.strangers.unknown(c.get('address'))
      if (!isForPrograms(c.req.path)) throw new TreeosError('UNAUTHORIZED', 'sign in first')
      throw tokenMissing()
    }
    await bounded.person(session.being)
    const visit = await visitOf(portal, tabs, session, { cookie, key, handle: c.req.header(TAB_HEADER) })
    return session.signs ? { ...visit, at: { ...visit.at, sign: signer(c, session.being) } } : visit
  }

  /** Asks who signs acts by a passkey for the signature of each. Nobody else is asked for anything. */
  const signer =
    (c: Context<Env>, person: BeingName): SignAct =>
    (asked) => {
      const by = { person, site: siteOf(originOf(c)), header: c.req.header(SIGNED_HEADER) }
      return signingFor({ at: portal.at, store: portal.store }, by)(asked)
    }

  async function grantOf(path: string, secret: string): Promise<VerifiedToken> {
    if (isForPrograms(path)) return requireToken(portal.at, secret)
    throw new TreeosError(
      'UNAUTHORIZED',
      'an access token opens the API alone, and not what belongs to the page',
    )
  }

  async function requirePerson(c: Context<Env>, { handle, being, person }: Visit): Promise<void> {
    if (handle !== null)
      throw new TreeosError(
        'FORBIDDEN',
        `this tab drives @${being}: do this in a tab in which you act as yourself, @${person}`,
        { reason: 'driving' },
      )
    if (!SAFE.has(c.req.method)) await bounded.account(person)
  }

  /**
   * A browser in which somebody signed in before is counted by itself, so that nobody else at its address
   * takes its place.
   */
  async function countStranger(c: Context<Env>, work: Work): Promise<void> {
    if (work !== 'open' && work !== 'sign-in' && work !== 'link' && work !== 'hook')
      throw new Error(`${c.req.path} needs no session, and its work is ${work}`)
    const device = work === 'open' || work === 'hook' ? undefined : deviceCookie(c.req.raw, c.get('host'))
    const isKnown = await isKnownDevice(portal.store, device)
    await bounded.strangers[work](isKnown ? `device ${device}` : c.get('address'))
  }

  async function authorize(c: Context<Env>, { caller, work }: AuthorizedRoute): Promise<void> {
    if (caller === 'anybody') return countStranger(c, work)
    const visit = await requireVisit(c)
    const { at, being } = visit
    if (caller === 'first-operator') await authorizeAllPasts(at, being)
    if (caller === 'person' || caller === 'person-signed-in-lately') await requirePerson(c, visit)
    if (caller === 'person-signed-in-lately' && visit.token !== null)
      throw new TreeosError(
        'FORBIDDEN',
        'an access token may not do this: its person does, on the page or by the command line',
        { reason: 'token' },
      )
    if (caller === 'person-signed-in-lately' && !visit.isFresh)
      throw new TreeosError(
        'FORBIDDEN',
        'you signed in more than 15 minutes ago: sign in again, and then change this',
        { reason: 'sign-in-again' },
      )
    if (WORK[work].isAct === true) await bounded.acts(visit.person)
    c.set('visit', visit)
  }

  /** Within the turn, since a name that nothing has is looked for among all names. */
  async function requireOpenPast(c: Context<Env>): Promise<void> {
    const { at, being } = c.get('visit')
    await suggesting(at, being, authorizePast(at, being, requireBeingName(c.req.param('name'))))
  }

  const app = new Hono<Env>()
  for (const route of routes) {
    const { method, path, work, caller } = route
    app.on(method, path, async (c, next) => {
      bounded.requireSize(work, c.req.header('content-length'))
      await authorize(c, route)
      if (work === 'stream' && c.req.raw.method === 'HEAD')
        throw new TreeosError('INVALID_INPUT', 'a stream is read by GET')
      c.set('isAuthorized', true)
      const run = async () => {
        if (caller === 'past-open') await requireOpenPast(c)
        await next()
      }
      await runInTurn(c, run, {
        work,
        bounded,
        mayStay: stays,
        onError: (error) => portal.onError('stay', error),
      })
    })
  }
  return app.on('ALL', PROGRAM_PATHS, async (c, next) => {
    if (c.get('isAuthorized')) return next()
    await requireVisit(c) // whoever has no session learns no route
    const speaks = `beings speak the Chat Completions API: use ${CHAT_PATH}/chat/completions (in the libraries of OpenAI \`client.chat.completions\`)`
    const isChat = c.req.path.startsWith(`${CHAT_PATH}/`)
    throw new TreeosError('ACTION_NOT_SUPPORTED', isChat ? speaks : 'nothing is at this address')
  })
}

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act } from '@treeos/client'
import { type BeingName, type JsonObject, TreeosError } from '@treeos/core'
import { createModel, listFailingRuns, modelEndpoint } from '@treeos/host'
import { openMcp } from '@treeos/mcp'
import {
  buildPage,
  type CourierOptions,
  type Machine,
  type MachineHealth,
  makeLink,
  migratePortal,
  type Portal,
  type PortalDb,
  type Provider,
  portalOf,
  type ServedPortal,
  servePortal,
} from '@treeos/portal'
import { findCosigned, findNewest, issueReceipt, logOrigin, readKeys } from '@treeos/proofs'
import { replay } from '@treeos/replay'
import { type JournalListener, listenToJournal, openDatabase, type StoreDb } from '@treeos/store'
import { RealityMetrics } from '@treeos/telemetry'
import { type Models, prepareTrial } from '@treeos/trials'
import { type Kysely, sql } from 'kysely'
import { inject } from 'vitest'
import { setRole } from './life.ts'
import { naiveLog, newLogKey } from './naive-log.ts'
import { stage } from './puppet.ts'
import { openReplayer } from './replays.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

export const PASSWORD = 'correct horse battery'
/**
 * Of PASSWORD, as the portal stores it: to hash it anew in each test would take a third of a second of CPU
 * each time.
 */
const HASHED = 'scrypt$17$8$1$2qjwFzGqDqC0P3TfHntwgw$ybFCxaghUDcx4ZSTh96Zo_acQ7FoPped0O1GpQU4Vho'

/** An answer as it came over the wire. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly json: any
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** the address from which it comes, of 127.0.0.0/8 */
  readonly from?: string | undefined
}

/** A request that no browser shapes: any Host, any Origin. */
export function send(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, from }: Sent = {},
): Promise<Answered> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        // The addresses of loopback are of IPv4.
        ...(from === undefined ? { hostname } : { hostname: '127.0.0.1', localAddress: from }),
        port,
        path,
        method,
        agent: false,
        headers: { host: new URL(url).host, ...headers },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => (text += chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json:
              text !== '' && String(answer.headers['content-type']).includes('json')
                ? JSON.parse(text)
                : null,
          }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

/** What the command line would say of a machine on which all is well. */
const AT_REST: MachineHealth = {
  services: [{ name: 'worker', pid: 7, address: null, runs: true }],
  mind: null,
  connections: {},
  moments: null,
  models: null,
  slowestBeat: null,
  checks: [{ name: 'wakes', ok: true, found: 'nothing waits', mend: null }],
}

/** What the page of a signed-in person keeps. */
export interface Seat {
  readonly cookie: string
  readonly key: string
  /** of a tab that drives a being: its secret */
  readonly tab?: string
}

/**
 * A world with a portal: the people @operator, @ada, who may reach for everything, and @bob, who may do
 * little; two scripted beings, @kid of @ada and @echo of the operator.
 */
export class PortalWorld {
  readonly world: World
  served: ServedPortal
  readonly portal: Portal
  readonly store: Kysely<PortalDb>
  readonly errors: { where: string; error: unknown }[]
  /** folder from which the portal reads checkpoints; empty at first */
  readonly checkpoints: string
  readonly #db: Kysely<StoreDb>
  readonly #listener: JournalListener

  private constructor(
    world: World,
    served: ServedPortal,
    portal: Portal,
    {
      db,
      errors,
      checkpoints,
    }: {
      db: Kysely<StoreDb>
      errors: { where: string; error: unknown }[]
      checkpoints: string
    },
  ) {
    this.world = world
    this.served = served
    this.portal = portal
    this.store = portal.store
    this.errors = errors
    this.checkpoints = checkpoints
    this.#db = db
    this.#listener = portal.listener
  }

  static async start({
    extensions = [],
    provider = null,
    ...options
  }: WorldOptions & { provider?: Provider | null } = {}): Promise<PortalWorld> {
    await buildPage(() => undefined) // does nothing after a build
    const world = await startWorld({ ...options, extensions: [stage, ...extensions] })
    await setRole(world, {
      name: 'narrow',
      canSee: ['@operator', '/', '/library', '@bob'],
      canDo: ['move'],
      canSummon: ['@operator', { rel: 'asker' }],
      canBe: [],
      prompt: 'You may do little.',
    })
    await world.birth({ name: 'ada', cognition: 'human', role: 'stage:free' })
    await world.birth({ name: 'bob', cognition: 'human', role: 'narrow' })
    await world.birth({ name: 'cleo', cognition: 'human', role: 'stage:free' })
    const kid: JsonObject = { name: 'kid', cognition: 'scripted', script: 'echo', role: 'stage:free' }
    await act({ ...world, person: 'ada' }, 'ada', { verb: 'be', operation: 'birth', args: kid })
    await migratePortal(world.owner)
    const url = portalUrlOf(world)
    const db = openDatabase(url, { poolMax: 6 })
    const errors: { where: string; error: unknown }[] = []
    const onError = (where: string, error: unknown) => void errors.push({ where, error })
    const { temporal: client, reality, registry, vaults } = world
    const at = { db, temporal: client, reality, registry, ...(vaults === undefined ? {} : { vaults }) }
    const temporal = { ui: 'http://127.0.0.1:1', namespace: 'default' }
    const checkpoints = mkdtempSync(join(tmpdir(), 'treeos-portal-'))
    const metrics = new RealityMetrics(
      db,
      async () => (await listFailingRuns(client, reality.name))?.length ?? null,
    )
    const machine: Machine = {
      health: async () => AT_REST,
      checkpoint: async () => findNewest(checkpoints, logOrigin(reality.id), readKeys(checkpoints)),
      cosigned: async () => findCosigned(checkpoints, logOrigin(reality.id), readKeys(checkpoints)),
      receipts: async (moments) =>
        Promise.all(
          moments.map(async (moment) => {
            const signer = newLogKey(reality)
            const log = await naiveLog(world.db, signer)
            return issueReceipt(at, moment, { signer, log }).then(
              ({ envelope }) => envelope,
              (error: unknown) => {
                if (error instanceof TreeosError) return error
                throw error
              },
            )
          }),
        ),
      trials: trialsBy({ db, registry }, modelsAt(options.modelUrl)),
      currency: () => 'EUR',
      metrics: () => metrics.scrape(),
      tools: NO_TOOLS,
      extensions: async () => registry.extensions.map(({ name, version }) => ({ name, version })),
      replay: async (request) => replay(at, { ...request, from: 'both', replayer: await openReplayer() }),
    }
    const portal = {
      at,
      store: portalOf(db),
      listener: listenToJournal(url),
      temporal,
      machine,
      provider,
      onError,
    }
    return new PortalWorld(world, await servePortal(portal, { port: 0, openMcp }), portal, {
      db,
      errors,
      checkpoints,
    })
  }

  get origin(): string {
    return this.served.url
  }

  /** What the page would send. @param seat null for a request without a session */
  async ask(seat: Seat | null, path: string, sent: Sent = {}): Promise<Answered> {
    const { method = 'GET' } = sent
    const own: Record<string, string> = {
      origin: this.origin,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    }
    const session: Record<string, string> =
      seat === null
        ? {}
        : {
            cookie: seat.cookie,
            'x-treeos-key': seat.key,
            ...(seat.tab === undefined ? {} : { 'x-treeos-tab': seat.tab }),
          }
    const headers: Record<string, string> = { ...(method === 'GET' ? {} : own), ...session, ...sent.headers }
    return send(this.origin, path, { ...sent, headers })
  }

  post(seat: Seat | null, path: string, json: unknown, sent: Sent = {}): Promise<Answered> {
    return this.ask(seat, path, { ...sent, method: 'POST', body: JSON.stringify(json) })
  }

  /** A call of a verb, by the operation of the API that it has. */
  perform(
    seat: Seat | null,
    { verb, ...rest }: { readonly verb: string; readonly address?: unknown },
  ): Promise<Answered> {
    if (verb !== 'see') return this.post(seat, `/api/v1/${verb}`, rest)
    return this.ask(seat, `/api/v1/see?address=${encodeURIComponent(String(rest.address))}`)
  }

  /** The same portal, served anew: its counts of requests begin again. */
  async serveAnew({
    proxies,
    actsPerMinute,
    outlets,
    scrapeToken,
    hosts,
    origins,
    port = Number(new URL(this.origin).port),
  }: {
    readonly hosts?: readonly string[]
    readonly port?: number
    readonly scrapeToken?: string
    readonly origins?: readonly string[]
    readonly proxies?: readonly string[]
    readonly actsPerMinute?: number
    readonly outlets?: CourierOptions
  } = {}): Promise<void> {
    await this.served.close()
    this.served = await servePortal(this.portal, {
      port,
      hosts,
      origins,
      openMcp,
      proxies,
      actsPerMinute,
      outlets,
      scrapeToken,
    })
  }

  linkFor(being: BeingName): Promise<string> {
    return makeLink(this.store, being)
  }

  /** One more session of a person, begun in the table. */
  async sit(being: BeingName): Promise<Seat> {
    const [cookie, key] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
    const { owner } = this.world
    await sql`insert into portal.account (being) values (${being}) on conflict do nothing`.execute(owner)
    await sql`
      insert into portal.session (cookie_hash, key_hash, being, expires_at)
      values (sha256(${cookie}::bytea), sha256(${key}::bytea), ${being}, clock_timestamp() + interval '1 day')`.execute(
      owner,
    )
    return { cookie: `treeos-${new URL(this.origin).port}=${cookie}`, key }
  }

  /** Signs a person in as a new link and PASSWORD would: every other session of the person ends. */
  async enter(being: BeingName): Promise<Seat> {
    const { owner } = this.world
    await sql`delete from portal.session where being = ${being}`.execute(owner)
    const seat = await this.sit(being)
    await sql`update portal.account set password = ${HASHED} where being = ${being}`.execute(owner)
    return seat
  }

  async close(): Promise<void> {
    await this.served.close()
    await this.#listener.close()
    await this.#db.destroy()
    await this.world.close()
    rmSync(this.checkpoints, { recursive: true })
  }
}

const modelsAt = (url: string | undefined): Models => ({
  model:
    url === undefined
      ? null
      : createModel(modelEndpoint({ baseUrl: url, apiKey: null, model: 'test-model' }), {
          timeoutSeconds: 20,
          prices: { 'test-model': { prompt: 1, completion: 1 } },
        }),
  connections: new Map(),
})

const noServers = async () => {
  throw new TreeosError('EXTENSION_NOT_FOUND', 'this machine names no servers')
}
/** Of a machine without tool servers. */
const NO_TOOLS: Machine['tools'] = {
  list: async () => [],
  check: async () => [],
  add: noServers,
  accept: noServers,
  remove: noServers,
}

const trialsBy = (at: Parameters<typeof prepareTrial>[0], models: Models): Machine['trials'] => ({
  callsPerHour: 100,
  models: async () => (models.model === null ? [] : ['default']),
  prepare: (trial) => prepareTrial(at, { trial, models }),
})

export function seatIn({ status, headers, json, text }: Answered): Seat {
  const [cookie] = headers['set-cookie'] ?? []
  if (status !== 200 || cookie === undefined) throw new Error(`no session: ${status} ${text}`)
  return { cookie: cookie.split(';')[0] ?? '', key: json.key }
}

/** The world's database, with the login of the portal. */
export function portalUrlOf(world: World): string {
  const login = inject('portalPostgresUrl')
  if (login === null)
    throw new Error('set TREEOS_PORTAL_DATABASE_URL to a login that is a member of treeos_portal')
  return Object.assign(new URL(login), { pathname: new URL(world.url).pathname }).href
}

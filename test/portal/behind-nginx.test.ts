/**
 * nginx on both sides: in front of the portal, with TLS, and before Temporal, where it authorizes and lets
 * nobody call the service of operators, as Temporal Cloud does.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { Connection } from '@temporalio/client'
import { issueToken } from '@treeos/client'
import { treeos } from '@treeos/host'
import { freePort } from '@treeos/local'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migratedDatabase } from '../support/database.ts'
import { hasNginx, Nginx } from '../support/nginx.ts'
import { PortalWorld } from '../support/portal.ts'
import { temporalAccess } from '../support/temporal-access.ts'

const NAME = 'world.test'

describe.skipIf(!hasNginx)(`behind nginx${hasNginx ? '' : ', which is not here'}`, () => {
  let nginx: Nginx
  let at: PortalWorld
  let ports: { readonly portal: number; readonly temporal: number }
  let secret: string
  const address = () => `127.0.0.1:${ports.temporal}`

  beforeAll(async () => {
    nginx = new Nginx()
    ports = { portal: await freePort('nginx', {}), temporal: await freePort('nginx', {}) }
    const behind = await freePort('the portal', {})
    const tls = join(dirname(inject('temporalEnv').TEMPORAL_CONFIG_FILE ?? ''), 'tls')
    const [front, engine] = [nginx.certificate(NAME), nginx.certificate('treeos-temporal', tls)]
    await nginx.start(`
      server {
        listen 127.0.0.1:${ports.portal} ssl;
        ssl_certificate ${front.cert}; ssl_certificate_key ${front.key};
        location / {
          proxy_pass http://127.0.0.1:${behind};
          proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto https;
        }
      }
      server {
        listen 127.0.0.1:${ports.temporal} ssl http2;
        ssl_certificate ${engine.cert}; ssl_certificate_key ${engine.key};
        client_max_body_size 0; grpc_read_timeout 90s; grpc_send_timeout 90s;
        location /temporal.api.operatorservice. {
          default_type application/grpc;
          add_header grpc-status 7 always; add_header grpc-message "Request unauthorized." always;
          return 204;
        }
        location / {
          grpc_pass grpcs://${inject('temporalAddress')};
          grpc_ssl_protocols TLSv1.3;
          grpc_ssl_certificate ${join(tls, 'client.pem')}; grpc_ssl_certificate_key ${join(tls, 'client-key.pem')};
        }
      }`)
    at = await PortalWorld.start({ workerTemporal: address }).catch((error: unknown) => {
      throw new Error(`through nginx, which wrote:\n${nginx.log()}`, { cause: error })
    })
    await at.serveAnew({ hosts: [`https://${NAME}:${ports.portal}`], proxies: ['127.0.0.1'], port: behind })
    secret = (await issueToken(at.world, { being: 'operator', as: 'operator' })).secret
  })
  afterAll(async () => {
    await at?.close()
    await nginx?.close()
  })

  /** As a browser or a program outside would ask. @param hear gets each part of the answer; true ends it */
  const ask = (
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
    hear: (text: string) => boolean = () => false,
  ) =>
    new Promise<{ status: number; text: string; cookies: readonly string[] }>((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port: ports.portal,
        path,
        method: body === undefined ? 'GET' : 'POST',
        ca: readFileSync(join(nginx.folder, `${NAME}.pem`)),
        servername: NAME,
        agent: false,
        headers: {
          host: `${NAME}:${ports.portal}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      })
      asked.on('error', reject)
      asked.on('response', (answer) => {
        let text = ''
        const done = () =>
          resolve({ status: answer.statusCode ?? 0, text, cookies: answer.headers['set-cookie'] ?? [] })
        answer.setEncoding('utf8').on('end', done)
        answer.on('data', (part) => {
          text += part
          if (!hear(text)) return
          done()
          asked.destroy()
        })
      })
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const token = () => ({ authorization: `Bearer ${secret}` })

  it('a program acts, and a being whose worker reaches Temporal through it answers', async () => {
    const body = { target: '@echo', content: 'hello', waitSeconds: 30 }
    const { status, text } = await ask('/api/v1/summon', { headers: token(), body })
    expect([status, JSON.parse(text).reply]).toEqual([200, { from: '@echo', content: 'hello' }])
    expect(at.world.errors).toEqual([])
  })

  it('the page’s session begins by its name, in a cookie for TLS alone', async () => {
    await at.enter('ada')
    const body = { name: 'ada', password: 'correct horse battery' }
    const good = { origin: `https://${NAME}:${ports.portal}`, 'sec-fetch-site': 'same-origin' }
    const entered = await ask('/api/open/sign-in', { headers: good, body })
    expect(entered.status).toBe(200)
    expect(entered.cookies[0]).toMatch(/^__Host-.*; Secure$/)
    const foreign = { ...good, origin: 'https://evil.test' }
    expect((await ask('/api/open/sign-in', { headers: foreign, body })).status).toBe(403)
    expect((await ask('/', { headers: { host: 'evil.test' } })).status).toBe(403)
  })

  it('streams come as they happen', async () => {
    const streaming = ask('/api/v1/journal', { headers: token() }, (text) => text.includes('streamed'))
    await ask('/api/v1/summon', { headers: token(), body: { target: '@operator', content: 'streamed' } })
    expect((await streaming).text).toContain('streamed')
    const messages = [{ role: 'user', content: 'in parts' }]
    const chat = { model: '@echo', messages, stream: true }
    const { text } = await ask('/v1/chat/completions', { headers: token(), body: chat })
    expect(text).toContain('in parts')
    expect(text).toContain('[DONE]')
  })

  it('strangers are counted by their own addresses', async () => {
    const statusesOf = async (address: string, times: number) => {
      const headers = { 'x-forwarded-for': address }
      const all = Array.from({ length: times }, () => ask('/api/v1/inbox', { headers }))
      return new Set((await Promise.all(all)).map(({ status }) => status))
    }
    expect(await statusesOf('203.0.113.9', 120)).toContain(429)
  })

  it('a namespace is prepared though Temporal’s operator service is refused; what is missing is named', async () => {
    const direct = await Connection.connect(await temporalAccess())
    const connection = await Connection.connect({ ...(await temporalAccess()), address: address() })
    const database = await migratedDatabase()
    const bare = `bare-${process.pid}`
    try {
      await expect(connection.operatorService.listSearchAttributes({ namespace: 'default' })).rejects.toThrow(
        'Request unauthorized.',
      )
      const plugin = treeos({ extensions: [], databaseUrl: database.workerUrl })
      const prepared = await plugin.prepare({ connection, ownerUrl: database.url })
      expect(prepared.reality.name).toBe('home')
      const workflowExecutionRetentionPeriod = { seconds: 86_400 as never }
      await direct.workflowService.registerNamespace({ namespace: bare, workflowExecutionRetentionPeriod })
      const prepare = () => plugin.prepare({ connection, namespace: bare, ownerUrl: database.url })
      await expect
        .poll(() => prepare().catch((error: Error) => error.message), { timeout: 20_000 })
        .toContain(`the search attributes TreeosReality, `)
    } finally {
      await Promise.all([connection.close(), direct.close(), database.drop()])
    }
  })
})

/**
 * node intruder.ts JSON: a program of another user of the machine that tries to get into a Temporal server
 * through every port on which it listens. Prints the ways that let it in, as one JSON line.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'

export interface Plan {
  /** system user to become; null stays who started it */
  readonly uid: number | null
  readonly ports: readonly number[]
  /** files that only the owner should be able to read */
  readonly files: readonly string[]
  /** running workflow to signal, and its namespace */
  readonly workflowId: string
  readonly namespaceId: string
  /** what it shows as key; null shows none and then a wrong one */
  readonly key: string | null
  /** PEM files; it then speaks gRPC over TLS and tries nothing else */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string }
}

export interface Raid {
  /** tries made */
  readonly tries: number
  /** `way port` of each try that got in */
  readonly gotIn: readonly string[]
}

const FOREIGN = 'evil.example'
const TIMEOUT_MS = 3_000
const WRONG = 'x'.repeat(43)

const plan = JSON.parse(process.argv[2] ?? '') as Plan
const gotIn: string[] = []
let tries = 0

async function attempt(way: string, run: () => Promise<boolean>): Promise<void> {
  tries += 1
  if (await run().catch(isShut)) gotIn.push(way)
}

/** What a closed door looks like; anything else is a fault of this program. */
function isShut(error: unknown): false {
  if (error instanceof Error && !(error instanceof ReferenceError || error instanceof TypeError)) return false
  throw error
}

const tokens = plan.key === null ? [undefined, `Bearer ${WRONG}`] : [`Bearer ${plan.key}`]
const logins = plan.key === null ? [undefined, basic(WRONG), `Bearer ${WRONG}`] : [basic(plan.key)]
// Read before it becomes another user: what matters is what the server says to these.
const tls =
  plan.tls === undefined
    ? null
    : Object.fromEntries(Object.entries(plan.tls).map(([name, file]) => [name, readFileSync(file)]))
if (plan.uid !== null) {
  process.setgroups?.([])
  process.setgid?.(plan.uid)
  process.setuid?.(plan.uid)
}
for (const port of plan.ports) {
  for (const token of tls === null ? [] : tokens) {
    for (const [name, path, message] of calls())
      await attempt(`grpc ${name} ${port}`, async () => (await grpc(port, path, message, token)) === '0')
  }
  if (tls !== null) continue
  await attempt(`tcp ${port}`, async () => (await say(port, 'GET / HTTP/1.0\r\n\r\n')).includes(' 200 '))
  await attempt(`tcp ${port}`, async () =>
    (await say(port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).includes(' 200 '),
  )
  for (const token of tokens) {
    for (const [name, path, message] of calls())
      await attempt(`grpc ${name} ${port}`, async () => (await grpc(port, path, message, token)) === '0')
  }
  for (const login of logins) {
    for (const host of [FOREIGN, `127.0.0.1:${port}`]) {
      await attempt(`http read ${port} as ${host}`, async () => isDone(await read(port, host, login)))
      await attempt(`http signal ${port} as ${host}`, async () => isDone(await signal(port, host, login)))
      await attempt(`http batch ${port} as ${host}`, async () => isDone(await batch(port, host, login)))
    }
  }
}
for (const file of plan.files) await attempt(`file ${file}`, async () => readFileSync(file).length > 0)
console.log(JSON.stringify({ tries, gotIn } satisfies Raid))
process.exit()

function basic(password: string): string {
  return `Basic ${btoa(`treeos:${password}`)}`
}

function isDone(status: number): boolean {
  return status >= 200 && status < 300
}

function read(port: number, host: string, login?: string): Promise<number> {
  return http(port, { method: 'GET', path: '/api/v1/namespaces/default/workflows', host, login }).then(
    ({ status }) => status,
  )
}

/** As the UI does: with the token that its first page gives to everyone. */
async function signal(port: number, host: string, login?: string): Promise<number> {
  const { cookie } = await http(port, { method: 'GET', path: '/', host, login })
  const path = `/api/v1/namespaces/default/workflows/${encodeURIComponent(plan.workflowId)}/signal/act`
  return (await http(port, { method: 'POST', path, host, login, cookie, body: '{"input":null}' })).status
}

/** A request that a page of any site may make a browser send, without asking first. */
async function batch(port: number, host: string, login?: string): Promise<number> {
  const { cookie } = await http(port, { method: 'GET', path: '/', host, login })
  const operation = {
    namespace: 'default',
    jobId: `raid-${Date.now()}`,
    reason: 'raid',
    executions: [{ workflowId: plan.workflowId }],
    signalOperation: { signal: 'act', identity: 'nobody' },
  }
  const path = `/api/v1/namespaces/default/batch-operations/${operation.jobId}`
  const body = JSON.stringify(operation)
  return (await http(port, { method: 'POST', path, host, login, cookie, body })).status
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly login?: string | undefined
  readonly cookie?: string | undefined
  readonly body?: string
}

async function http(port: number, asked: Asked): Promise<{ status: number; cookie: string | undefined }> {
  const { method, path, host, login, cookie, body } = asked
  const token = /_csrf=([^;]*)/.exec(cookie ?? '')?.[1]
  const headers = {
    host,
    ...(host === FOREIGN ? { origin: `http://${FOREIGN}` } : {}),
    ...(login === undefined ? {} : { authorization: login }),
    ...(token === undefined ? {} : { cookie: `_csrf=${token}`, 'x-csrf-token': token }),
    ...(body === undefined ? {} : { 'content-type': 'text/plain', 'content-length': String(body.length) }),
  }
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers,
    timeout: TIMEOUT_MS,
    agent: false,
  })
  sent.on('timeout', () => sent.destroy(new Error('no answer')))
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return { status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.join(';') }
}

/** What a server says within a moment to these first bytes. */
async function say(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (data) => {
    heard += data.toString('latin1')
  })
  socket.on('error', () => undefined)
  socket.end(text)
  const late = setTimeout(() => socket.destroy(), 500)
  await once(socket, 'close')
  clearTimeout(late)
  return heard
}

function calls(): [name: string, path: string, message: Buffer][] {
  const { workflowId, namespaceId } = plan
  const signalled = Buffer.concat([
    field(1, 'default'),
    field(2, field(1, workflowId)),
    field(3, 'act'),
    field(5, 'nobody'),
  ])
  const api = '/temporal.api.workflowservice.v1.WorkflowService'
  const server = '/temporal.server.api'
  return [
    ['system-info', `${api}/GetSystemInfo`, Buffer.alloc(0)],
    ['namespaces', `${api}/ListNamespaces`, Buffer.alloc(0)],
    [
      'history',
      `${api}/GetWorkflowExecutionHistory`,
      Buffer.concat([field(1, 'default'), field(2, field(1, workflowId))]),
    ],
    ['signal', `${api}/SignalWorkflowExecution`, signalled],
    ['admin', `${server}.adminservice.v1.AdminService/DescribeCluster`, Buffer.alloc(0)],
    ['health', '/grpc.health.v1.Health/Check', Buffer.alloc(0)],
    [
      'internal-signal',
      `${server}.historyservice.v1.HistoryService/SignalWorkflowExecution`,
      Buffer.concat([field(1, namespaceId), field(2, signalled)]),
    ],
  ]
}

/** One field of a protobuf message: a text, or a message within. All of ours are shorter than 128 bytes. */
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

/** @returns the status of the call, `0` when it was done */
async function grpc(port: number, path: string, message: Buffer, authorization?: string): Promise<string> {
  const session =
    tls === null
      ? connectHttp2(`http://127.0.0.1:${port}`)
      : connectHttp2(`https://127.0.0.1:${port}`, { ...tls, servername: 'treeos-temporal' })
  try {
    return await new Promise<string>((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        'client-name': 'temporal-cli',
        'client-version': '1.5.1',
        ...(authorization === undefined ? {} : { authorization }),
      })
      stream.on('error', reject)
      stream.on('response', (headers) => {
        if (headers['grpc-status'] !== undefined) resolve(String(headers['grpc-status']))
      })
      stream.on('trailers', (trailers) => resolve(String(trailers['grpc-status'])))
      stream.on('end', () => resolve('none'))
      stream.resume()
      const head = Buffer.alloc(5)
      head.writeUInt32BE(message.length, 1)
      stream.end(Buffer.concat([head, message]))
      setTimeout(() => reject(new Error('no answer')), TIMEOUT_MS)
    })
  } finally {
    session.destroy()
  }
}

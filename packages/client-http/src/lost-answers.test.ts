/** Answers that proxies and networks lose, told to the clients in TypeScript and in Python. */
import { spawn, spawnSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, it, type TestContext, vi } from 'vitest'
import { Treeos } from './index.ts'

// The cases wait most of their time, so all of them run at once, each with a server of its own.
vi.setConfig({ maxConcurrency: 40 })

type Answer = (response: ServerResponse, socket: Socket) => void

const json = (status: number, value: object, headers: Record<string, string> = {}): Answer => {
  const body = JSON.stringify(value)
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
const good = json(200, { outcome: 'act' })
const busy = (after: string | null) =>
  json(429, { code: 'RATE_LIMITED', detail: 'busy' }, after === null ? {} : { 'retry-after': after })
const gateway =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Gateway</h1>')
const reset: Answer = (_response, socket) => void socket.resetAndDestroy()
const cutBody: Answer = (_response, socket) =>
  void socket.end(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"outcome"',
  )
const cutJson: Answer = (response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"outcome"')

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const event = (name: string, data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
/** Events, and then a chunk that is cut within a letter of three bytes. */
const cutStream =
  (...events: string[]): Answer =>
  (_response, socket) => {
    const part = Buffer.concat([Buffer.from('50\r\ndata: {"text":"'), Buffer.from('€').subarray(0, 2)])
    socket.write(HEAD + events.map(chunk).join(''))
    setTimeout(() => socket.end(part), 50)
  }
/** Events, and then nothing, not even a beat. */
const silentStream =
  (...events: string[]): Answer =>
  (_response, socket) =>
    void socket.write(HEAD + events.map(chunk).join(''))
/** A stream that sends only heartbeats for longer than a client waits in silence, and then events. */
const beatingStream =
  (...events: string[]): Answer =>
  (_response, socket) => {
    socket.write(HEAD)
    const beating = setInterval(() => socket.write(chunk(': lives\n\n')), 100)
    setTimeout(() => {
      clearInterval(beating)
      socket.write(events.map(chunk).join(''))
    }, 2_000 * SILENCE_SECONDS)
  }

const SILENCE_SECONDS = 0.7

interface AskedRequest {
  readonly key: string | undefined
  readonly after: string | undefined
  readonly at: number
}

/** A server that gives these answers, one after the other, and notes what it was asked. */
async function lossyServer(given: readonly Answer[], atEnd: TestContext['onTestFinished']) {
  const answers = [...given]
  const asked: AskedRequest[] = []
  const server = createServer((request: IncomingMessage, response) => {
    const header = (name: string) => request.headers[name] as string | undefined
    asked.push({ key: header('idempotency-key'), after: header('last-event-id'), at: Date.now() })
    request.resume().on('end', () => (answers.shift() ?? gateway(500))(response, request.socket))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
  }
}

/** What a client heard: each value, or `status CODE` of a problem. */
interface TestClient {
  readonly name: string
  readonly do: (url: string) => Promise<unknown[]>
  readonly hear: (url: string, from: 'summon' | 'journal', count: number) => Promise<unknown[]>
}

const failed = (error: unknown) => [`${(error as { status?: number }).status ?? (error as Error).name}`]
async function first(events: AsyncGenerator<object, void>, count: number): Promise<unknown[]> {
  const heard: unknown[] = []
  for await (const one of events) if (heard.push(one) >= count) break
  return heard
}

const typescript: TestClient = {
  name: 'TypeScript',
  do: (url) => new Treeos({ url, token: 't' }).do({ operation: 'x' }).then((act) => [act], failed),
  async hear(url, from, count) {
    const client = new Treeos({ url, token: 't', silenceSeconds: SILENCE_SECONDS })
    const events =
      from === 'journal' ? client.journal() : client.summonStream({ target: '@a', content: 'hi' })
    return first(events, count).catch(failed)
  },
}

/** One process runs all cases, since its start takes longer than most of them. */
const PROGRAM = `
import itertools, json, sys, threading
from treeos import Problem, Treeos
lock = threading.Lock()
def run(url, what, count):
    client = Treeos(url, "t", silence=${SILENCE_SECONDS})
    try:
        if what == "do":
            heard = [client.do("x")]
        else:
            events = client.journal() if what == "journal" else client.summon_stream("@a", "hi")
            heard = list(itertools.islice(events, count))
    except Problem as problem:
        heard = [str(problem.status)]
    except Exception as error:
        heard = [repr(error)]
    with lock:
        print(json.dumps([url, heard]), flush=True)
for line in sys.stdin:
    threading.Thread(target=run, args=json.loads(line)).start()
`
class PythonClients {
  readonly #waiting = new Map<string, (heard: unknown[]) => void>()
  readonly #child = spawn('python3', ['-c', PROGRAM], {
    env: { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../../clients/python') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })

  constructor() {
    createInterface(this.#child.stdout).on('line', (line) => {
      const [url, heard] = JSON.parse(line) as [string, unknown[]]
      this.#waiting.get(url)?.(heard)
    })
  }

  ask(url: string, what: string, count: number): Promise<unknown[]> {
    return new Promise((resolve) => {
      this.#waiting.set(url, resolve)
      this.#child.stdin.write(`${JSON.stringify([url, what, count])}\n`)
    })
  }

  end(): void {
    this.#child.stdin.end()
  }
}

let inPython: PythonClients
const python: TestClient = {
  name: 'Python',
  do: (url) => inPython.ask(url, 'do', 1),
  hear: (url, from, count) => inPython.ask(url, from, count),
}
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

beforeAll(() => {
  if (hasPython) inPython = new PythonClients()
})
afterAll(() => inPython?.end())

describe.concurrent.each([typescript, ...(hasPython ? [python] : [])])('the client in $name', (client) => {
  it.for<[string, Answer[], unknown, number, number?]>([
    ['a connection that was reset', [reset, good], { outcome: 'act' }, 2],
    ['a body that was cut short', [cutBody, good], { outcome: 'act' }, 2],
    ['JSON that a proxy cut', [cutJson, good], { outcome: 'act' }, 2],
    ['502, 503 and 504', [gateway(502), gateway(504), good], { outcome: 'act' }, 3],
    ['504 each time', [gateway(504), gateway(504), gateway(504)], '504', 3],
    ['429, after the time that it tells', [busy('1'), good], { outcome: 'act' }, 2, 900],
    ['429 with a date that is past', [busy('Sun, 06 Nov 1994 08:49:37 GMT'), good], { outcome: 'act' }, 2],
    ['429 with a word', [busy('soon'), good], { outcome: 'act' }, 2],
    ['429 without a time', [busy(null), good], '429', 1],
    ['429 for an hour', [busy('3600'), good], '429', 1],
    ['a refusal', [gateway(403), good], '403', 1],
  ])('takes %s', async ([_what, given, outcome, times, pauseMs = 0], { expect, onTestFinished }) => {
    const server = await lossyServer(given, onTestFinished)
    const { url, asked } = server
    expect(await client.do(url)).toEqual([outcome])
    expect(asked).toHaveLength(times)
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1) // so the server does it once
    expect(asked[0]?.key).toMatch(/^[\w-]{20,}$/)
    expect((asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(pauseMs)
  })

  const words = (text: string) => event('words', { text })
  const answer = event('answer', { outcome: 'act' })
  const sent = event('sent', { correlation: 'c' })
  it.for<[string, Answer[]]>([
    ['was cut within a chunk', [cutStream(sent, words('a')), cutStream(sent, words('b'), answer)]],
    ['fell silent', [silentStream(sent, words('a')), silentStream(sent, words('b'), answer)]],
    [
      'ended behind a proxy',
      [cutStream(sent, words('a')), gateway(504), silentStream(sent, words('b'), answer)],
    ],
    ['only beat for long', [beatingStream(sent, words('a'), words('b'), answer)]],
  ])(
    'hears an answer whose stream %s, asked with the same key',
    async ([_what, given], { expect, onTestFinished }) => {
      const server = await lossyServer(given, onTestFinished)
      const { url, asked } = server
      expect(await client.hear(url, 'summon', 9)).toEqual([
        { type: 'sent', correlation: 'c' },
        { type: 'words', text: 'a' },
        { type: 'words', text: 'b' },
        { type: 'answer', summoned: { outcome: 'act' } },
      ])
      expect(asked).toHaveLength(given.length)
      expect(new Set(asked.map(({ key }) => key)).size).toBe(1)
    },
  )

  it('asks for an answer no more once its stream told a refusal', async ({ expect, onTestFinished }) => {
    const away = event('problem', { status: 503, code: 'SERVICE_UNAVAILABLE', detail: 'away' })
    const server = await lossyServer([silentStream(away)], onTestFinished)
    expect(await client.hear(server.url, 'summon', 9)).toEqual(['503'])
    expect(server.asked).toHaveLength(1)
  })

  const fact = (id: string) => event('fact', { id, type: 'fact' }, id)
  it.for<[string, Answer[]]>([
    ['was cut within a chunk', [cutStream(fact('1')), cutStream(fact('2'))]],
    ['fell silent', [silentStream(fact('1')), silentStream(fact('2'))]],
    ['was refused for a while', [silentStream(fact('1')), busy('1'), gateway(504), silentStream(fact('2'))]],
  ])(
    'follows a journal whose stream %s, after the last event',
    async ([_what, given], { expect, onTestFinished }) => {
      const server = await lossyServer(given, onTestFinished)
      const { url, asked } = server
      expect(await client.hear(url, 'journal', 2)).toEqual([
        { id: '1', type: 'fact' },
        { id: '2', type: 'fact' },
      ])
      expect(asked.map(({ after }) => after)).toEqual([undefined, ...given.slice(1).map(() => '1')])
    },
  )
})

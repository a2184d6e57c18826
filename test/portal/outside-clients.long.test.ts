/**
 * Programs that others wrote, against the API: the library of OpenAI in Python, a chat client, and a fuzzer
 * that reads the description.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { issueToken } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wakesOf } from '../support/life.ts'
import { PortalWorld, send } from '../support/portal.ts'
import { pythonWith } from '../support/python.ts'

const run = promisify(execFile)
/** The first run installs them. */
const INSTALL_MS = 400_000
const PACKAGES = ['openai==3.57.0', 'schemathesis==4.32.5', 'llm==0.36']

let at: PortalWorld
let programs: string | null
beforeAll(async () => {
  programs = pythonWith(PACKAGES)
  at = await PortalWorld.start()
  await at.serveAnew({ actsPerMinute: 1_000_000 })
}, INSTALL_MS)
afterAll(() => at?.close())

const tokenOf = async (being: BeingName) =>
  (await issueToken({ ...at.world, person: being }, { being, as: being })).secret

/** Whether the packages are there; says why a test is left out where they are not. */
function requirePrograms(skip: (why: string) => never): string {
  return programs ?? skip('the registry of Python packages cannot be reached')
}

it('the library of OpenAI in Python speaks to a being, whole and as a stream', async ({ skip }) => {
  const script = `
import openai, sys
client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2])
print(sorted(model.id for model in client.models.list()))
asked = dict(model="@kid", messages=[{"role": "user", "content": "hello from Python"}])
print(client.chat.completions.create(**asked).choices[0].message.content)
print("".join(chunk.choices[0].delta.content or "" for chunk in client.chat.completions.create(**asked, stream=True)))
try:
    client.chat.completions.create(model="@nobody", messages=asked["messages"])
except openai.NotFoundError as error:
    print(error.code)
`
  const python = join(requirePrograms(skip), 'python')
  const { stdout } = await run(python, ['-c', script, `${at.origin}/v1`, await tokenOf('ada')])
  const [models, ...told] = stdout.trim().split('\n')
  expect(models).toContain("'@kid'")
  expect(told).toEqual(['hello from Python', 'hello from Python', 'BEING_NOT_FOUND'])
})

it('the chat client llm speaks to a being, and goes on in its conversation', async ({ skip }) => {
  const program = join(requirePrograms(skip), 'llm')
  const folder = mkdtempSync(join(tmpdir(), 'treeos-llm-'))
  try {
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ treeos: await tokenOf('ada') }))
    const models = `- model_id: kid\n  model_name: "@kid"\n  api_base: "${at.origin}/v1"\n  api_key_name: treeos\n`
    writeFileSync(join(folder, 'extra-openai-models.yaml'), models)
    const said = async (...args: string[]) => {
      const asked = run(program, args, { env: { ...process.env, LLM_USER_PATH: folder } })
      asked.child.stdin?.end() // else it waits for more
      return (await asked).stdout.trim()
    }
    expect(await said('-m', 'kid', 'hello from llm')).toBe('hello from llm')
    expect(await said('-c', 'and again')).toBe('and again')
    expect(await said('-m', 'kid', '--no-stream', 'at once')).toBe('at once')
  } finally {
    rmSync(folder, { recursive: true })
  }
  const wakes = (await wakesOf(at.world, 'kid')).filter(({ kind }) => kind === 'summon')
  const rootOf = (content: string) => wakes.find((wake) => wake.content === content)?.root
  expect(rootOf('hello from llm')).toBeDefined()
  expect(rootOf('and again')).toBe(rootOf('hello from llm'))
})

/** For the run as one person. A request that waits for an answer takes seconds, so several go at once. */
const FUZZ_SECONDS = 180
/**
 * Server errors that the description names: the service is away, or what was waited for did not come in the
 * time that the request gave.
 */
const EXPLAINED = new Set(['TIMEOUT', 'SERVICE_UNAVAILABLE'])

interface Asked {
  readonly request: { readonly method: string; readonly uri: string }
  readonly response: { readonly status_code: number; readonly content: Encoded | null } | null
}
interface Encoded {
  readonly $base64: string
}

/** Requests of a run with their answers, by operation, from what schemathesis writes: an event a line. */
function asked(report: string): Map<string, Asked[]> {
  const found = new Map<string, Asked[]>()
  for (const line of readFileSync(report, 'utf8').split('\n').slice(0, -1)) {
    const { recorder } = JSON.parse(line).ScenarioFinished ?? {}
    if (recorder === undefined) continue
    const all = found.get(recorder.label) ?? []
    found.set(recorder.label, [...all, ...Object.values<Asked>(recorder.interactions ?? {})])
  }
  return found
}

const codeOf = ({ response }: Asked): string =>
  JSON.parse(Buffer.from(response?.content?.$base64 ?? '', 'base64').toString('utf8') || '{}').code ?? ''

it.for(['operator', 'bob'])(
  'no request that the description allows, or not, makes a server error, as %s',
  { timeout: 2 * FUZZ_SECONDS * 1000 },
  async (being, { skip }) => {
    const program = join(requirePrograms(skip), 'schemathesis')
    const folder = mkdtempSync(join(tmpdir(), 'treeos-schemathesis-')) // it keeps a cache where it runs
    const report = join(folder, 'report.ndjson')
    const checks = 'status_code_conformance,content_type_conformance,response_schema_conformance'
    const args = [
      ...['run', `${at.origin}/api/v1/openapi.json`],
      ...['--header', `Authorization: Bearer ${await tokenOf(being)}`],
      ...['--generation-with-security-parameters', 'false'], // wrong tokens slow all that this address asks
      ...['--rate-limit', '55/s'], // as a person may ask
      ...['--checks', checks, '--continue-on-failure', '--no-shrink'],
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', '20'],
      ...['--max-time', `${FUZZ_SECONDS}`, '--workers', '8', '--request-timeout', '60'],
      ...['--exclude-operation-id', 'journal'], // goes on until it is stopped
      ...['--exclude-operation-id', 'endToken'], // ends what all others need
      ...['--exclude-operation-id', 'isTerminalAllowed'], // its token is that of no terminal
      ...['--generation-database', 'none', '--report', 'ndjson', '--report-ndjson-path', report],
    ]
    const env = { ...process.env, NO_COLOR: '1' }
    const ended = await run(program, args, { maxBuffer: 64 * 1024 * 1024, cwd: folder, env }).catch(
      (error: { stdout?: string; code?: number }) => error,
    )
    const operations = asked(report)
    rmSync(folder, { recursive: true })
    expect(at.errors).toEqual([])
    const all = [...operations.values()].flat()
    const failed = all.filter((one) => (one.response?.status_code ?? 0) >= 500 && !EXPLAINED.has(codeOf(one)))
    expect(failed.map(({ request: { method, uri } }) => `${method} ${uri}`)).toEqual([])
    // Its own faults, such as a request that waits for longer than it does, are under ERRORS.
    expect(
      ended.stdout?.split(/^=+ FAILURES =+$/m)[1]?.slice(0, 6000),
      'answers that the description does not tell',
    ).toBe(undefined)
    // No operation is refused before it is tried.
    const tried = (one: Asked) => ![401, 429, undefined].includes(one.response?.status_code)
    const untried = [...operations].filter(([, asked]) => !asked.some(tried)).map(([label]) => label)
    expect(untried).toEqual([])
    const { paths } = (await send(at.origin, '/api/v1/openapi.json')).json as {
      paths: Record<string, object>
    }
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.filter((label) => !operations.has(label))).toEqual([
      ...['POST /token/end', 'POST /terminals/wait', 'GET /journal', 'GET /openapi.json'],
    ])
    console.log(`${being}: ${all.length} requests to ${operations.size} operations`)
  },
)

/** Programs that others wrote, against the API: the library of OpenAI in Python, a chat client, and a fuzzer that reads the description. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { issueToken } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wakesOf } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'
import { pythonWith } from '../support/python.ts'

const run = promisify(execFile)
const PACKAGES = ['openai==3.57.0', 'schemathesis==4.32.5', 'llm==0.36']

let at: PortalWorld
let programs: string | null
beforeAll(async () => {
  programs = pythonWith(PACKAGES)
  at = await PortalWorld.start()
  await at.serveAnew({ actsPerMinute: 1_000_000 })
})
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

it.for(['operator', 'bob'])(
  'no request that the description allows, or not, makes a server error, as %s',
  { timeout: 900_000 },
  async (being, { skip }) => {
    const program = join(requirePrograms(skip), 'schemathesis')
    const folder = mkdtempSync(join(tmpdir(), 'treeos-schemathesis-')) // it keeps a cache where it runs
    const ended = await run(
      program,
      [
        'run',
        `${at.origin}/api/v1/openapi.json`,
        '--header',
        `Authorization: Bearer ${await tokenOf(being)}`,
        '--checks',
        'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
        '--phases',
        'examples,coverage,fuzzing',
        '--exclude-operation-id',
        'journal', // goes on until it is stopped
        '--max-examples',
        '20',
        '--rate-limit',
        '50/s', // as a person may ask
        '--generation-database',
        'none',
      ],
      { maxBuffer: 64 * 1024 * 1024, cwd: folder, env: { ...process.env, NO_COLOR: '1' } },
    )
      .catch((error: { stdout?: string; code?: number }) => error)
      .finally(() => rmSync(folder, { recursive: true }))
    expect(ended.stdout?.slice(-6000) ?? '', 'see above').toContain('No issues found')
    expect(at.errors).toEqual([])
  },
)

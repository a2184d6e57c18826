/** The first five minutes of docs/api.md, in curl, and its desk in Python, as a reader would run them. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { issueToken } from '@treeos/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lineOf } from '../docs/lines.ts'
import { PortalWorld } from '../support/portal.ts'
import { useModelServer } from '../support/use-world.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
/** The first block for a shell that holds a text. */
const blockWith = (text: string): string => {
  const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)]
  const found = blocks.map(([, block]) => block ?? '').find((block) => block.includes(text))
  if (found === undefined) throw new Error(`the page has no block with ${text}`)
  return found
}

const model = useModelServer()
let at: PortalWorld
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  at = await PortalWorld.start({ modelUrl: model.url })
  const { secret } = await issueToken(at.world, { being: 'operator', as: 'operator' })
  env = { ...process.env, PORTAL: at.origin, TOKEN: secret, PYTHONPATH: join(ROOT, 'clients/python') }
})
afterAll(() => at?.close())

it('the court answers in curl', async () => {
  const script = `set -e\n${blockWith('solomon')}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env, timeout: 60_000 })
  expect(stdout).not.toContain('urn:treeos:problem')
  for (const part of ['"reply":{"from":"@solomon","content":"ok: Who are you today?"}', '"primary":"judge"'])
    expect(stdout).toContain(part)
})

it('the desk asks two specialists in Python, and answers its customer', async () => {
  model.script(lineOf)
  const script = join(ROOT, 'docs/examples/desk.py')
  const { stdout } = await promisify(execFile)('python3', [script], { env, timeout: 60_000 })
  expect(stdout).toMatch(/^@desk You owe 42, and that is lawful\.$/m)
  expect(stdout).toMatch(/^\d+ act @operator$[\s\S]*^\d+ act @legal$[\s\S]*^\d+ act @billing$/m)
  model.reset()
})

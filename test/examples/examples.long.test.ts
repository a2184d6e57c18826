import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@treeos/store'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import { dumpTables, findIn } from '../support/leaks.ts'
import { type ModelRequest, startModelServer } from '../support/model-server.ts'

const run = promisify(execFile)
const example = (name: string) => resolve(import.meta.dirname, `../../examples/${name}.ts`)

const folder = mkdtempSync(join(tmpdir(), 'treeos-examples-'))
let env: NodeJS.ProcessEnv
let close: () => Promise<void>
let said = ''

/** Example 5 hosts the beings that examples 6 and 7 talk to. */
beforeAll(async () => {
  const database = await emptyDatabase()
  env = { ...process.env, DATABASE_URL: database.url, ...inject('temporalEnv') }
  const worker = spawn(process.execPath, [example('05-own-worker')], { cwd: folder, env, stdio: 'pipe' })
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (data) => (said += data))
  close = async () => {
    if (worker.exitCode === null && worker.kill('SIGTERM')) await once(worker, 'exit')
    await database.drop()
    rmSync(folder, { recursive: true })
  }
  await vi.waitUntil(() => said.includes('beings live') || worker.exitCode !== null, { timeout: 60_000 })
  expect(said).toContain('beings live')
})
afterAll(() => close())

it('example 5, an own worker, runs its own workflow beside the beings', () => {
  expect(said).toContain('its own workflow counted 1,2,3')
})

it('example 6, a client program, gets the answer of a being', async () => {
  const [, people] = /TREEOS_PEOPLE_DATABASE_URL=(\S+)/.exec(said) ?? []
  const { stdout } = await run(process.execPath, [example('06-client')], {
    env: { ...env, TREEOS_PEOPLE_DATABASE_URL: people },
  })
  expect(stdout).toContain('@flora: The figs are ripe, @operator.')
  expect(stdout).toContain('"primary":"greenhouse:gardener"')
})

it('example 7 acts as one being by MCP', async () => {
  const { stdout } = await run(process.execPath, [example('07-mcp')], { env })
  expect(stdout).toContain('see, do, summon, be')
  expect(stdout).toContain('The figs are ripe, @operator.')
})

it('example 8 shapes a thread and a skill with overlays, and only commitments of them are recorded', async () => {
  const model = await startModelServer()
  const database = await emptyDatabase()
  const userOf = ({ messages }: ModelRequest) => String(messages.at(-1)?.content)
  model.script((request) => {
    const isSkill = request.tools?.some(({ function: { name } }) => name === 'answer')
    const [with_, without] = isSkill ? ['Fog!', 'Ferry late'] : ['Rough, and rising.', 'It is calm.']
    const text = userOf(request).includes('[role]') ? with_ : without
    return {
      tool: isSkill
        ? { name: 'answer', args: { headline: text } }
        : { name: 'summon', args: { content: text } },
    }
  })
  try {
    const { stdout } = await run(process.execPath, [example('08-overlay')], {
      cwd: folder,
      env: { ...env, DATABASE_URL: database.url, OPENAI_BASE_URL: model.url, TREEOS_MODEL: 'test' },
    })
    expect(stdout.split('\n')).toEqual([
      'without an overlay: It is calm.',
      'with one: Rough, and rising.',
      'recorded of the moment: thread, mode block',
      'the recorded commitment is of this text: true',
      'the skill: {"headline":"Fog!"}',
      '',
    ])
    const shaped = model.requests
      .flatMap(({ body }) => (body === null ? [] : [userOf(body)]))
      .filter((user) => user.includes('[role]'))
    expect(shaped).toHaveLength(2)
    expect(shaped[0]).toContain('| Answer as a harbour master')
    expect(shaped[1]).toMatch(/\| Write like a gossip column[.]\n\n\[text\]\n\| The ferry is late/)
    const owner = openDatabase(database.url, { asOwner: true, poolMax: 1 })
    const tables = [...(await dumpTables(owner)).values()]
    await owner.destroy()
    const isStored = (word: string) => tables.some((bytes) => findIn(bytes, { word }).length > 0)
    expect(['harbour master in a storm', 'Write like a gossip column'].filter(isStored)).toEqual([])
    expect(isStored('The ferry is late, since the fog')).toBe(true) // a control
  } finally {
    await model.close()
    await database.drop()
  }
})

it('example 9 pays only the refund that the world says that the lead approved', async () => {
  const model = await startModelServer()
  const database = await emptyDatabase()
  const call = (operation: string, args: object) => ({ tool: { name: 'do', args: { operation, args } } })
  const refund = { order: '7', euros: 40 }
  const tooMuch = { order: '7', euros: 400 }
  const refusal = 'what is approved is order 7, 40 euros'
  model.script(({ model: asked, messages }) => {
    const said = messages.map(({ content }) => content).join('\n')
    if (asked === 'assessor') return call('support:propose', refund)
    // First it wants to pay too much, and what is approved once it was told what that is.
    if (asked === 'cashier') return call('support:refund', said.includes(refusal) ? refund : tooMuch)
    if (said.includes('support:open-case') && said.includes('opened'))
      return { tool: { name: 'summon', args: { content: 'Your case is open.' } } }
    return call('support:open-case', { order: '7', wish: '40 euros back' })
  })
  try {
    const models = { DESK_MODEL: 'desk', ASSESSOR_MODEL: 'assessor', CASHIER_MODEL: 'cashier' }
    const { stdout } = await run(process.execPath, [example('09-support-team')], {
      cwd: folder,
      env: {
        ...env,
        ...models,
        DATABASE_URL: database.url,
        OPENAI_BASE_URL: model.url,
        TREEOS_MODEL: 'test',
      },
    })
    // Once it has paid, the change wakes the cashier again, maybe before the example ends.
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      '@desk: Your case is open.',
      'proposed: {"euros":40,"order":"7"}',
      'before the approval: @cashier gave no answer, its moment failed: support:refund is not in canDo (which is empty)',
      'paid after it: 1',
      '{"n":1,"primary":"support:waiting","outcome":"failure"}',
      '{"n":2,"primary":"support:cashier","outcome":"act"}',
    ])
    expect(JSON.stringify(model.requests)).toContain(refusal)
  } finally {
    await model.close()
    await database.drop()
  }
})

it('example 10 pays a refund after a yes, and none after a no', async () => {
  const database = await emptyDatabase()
  try {
    const { stdout } = await run(process.execPath, [example('10-asked-refund')], {
      cwd: folder,
      env: { ...env, DATABASE_URL: database.url },
    })
    const call = '{"args":{"euros":40,"order":"7"},"operation":"refunds:pay","target":"@cashier","verb":"do"}'
    expect(stdout.trim().split('\n')).toEqual([
      `cashier/1/1 wants to ${call}`,
      'after approve: paid: 40',
      `cashier/1/3 wants to ${call}`,
      'after deny: The operator said no.',
    ])
  } finally {
    await database.drop()
  }
})

it.each([
  ['11-workflow-asks', ['the workflow got: 40 euros', 'world.prices is {"lamp":"40 euros"}']],
  ['12-being-calls', ['shipping:ship is under way', '@clerk: order 7 has arrived']],
])('example %s goes from a workflow to a being, or back', async (name, lines) => {
  const database = await emptyDatabase()
  try {
    const { stdout } = await run(process.execPath, [example(name)], {
      cwd: folder,
      env: { ...env, DATABASE_URL: database.url },
    })
    expect(stdout.trim().split('\n')).toEqual(lines)
  } finally {
    await database.drop()
  }
})

/** Tools over HTTP, with secrets, and lost calls whose outcome is found out afterwards. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineExtension, defineOperation, type LostCallOutcome } from '@treeos/sdk'
import { findEffect, listFactsAfter } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import {
  acceptAll,
  letters,
  programOf,
  serving,
  startGuarded,
  startHttp,
  withTools,
} from '../../support/tools.ts'
import { useWorld } from '../../support/use-world.ts'

const SESAME = `sesame-${randomUUID()}`
const folder = mkdtempSync(join(tmpdir(), 'treeos-files-'))
const post = letters()
const http = await startHttp()
const CLIENT = `client-${randomUUID()}`
const guarded = await startGuarded({ id: 'treeos', secret: CLIENT })
afterAll(() => guarded.close())
afterAll(() => http.close())
afterAll(() => rmSync(folder, { recursive: true }))

const files = { command: [process.execPath, programOf('server-filesystem'), folder] }
const secrets = { letters: SESAME, client: CLIENT }
const entries = await withTools(
  {
    net: { url: http.url },
    guarded: {
      url: guarded.url,
      oauth: { clientId: 'treeos', secret: 'client', issuer: guarded.issuer },
    },
    files,
    letters: {
      command: post.command,
      silenceSeconds: 2,
      secrets: { letters: 'LETTERS' },
      checks: {
        post: {
          tool: 'posted',
          args: { text: '$text' },
          happened: 'it was posted',
          didNotHappen: 'it was not',
        },
      },
    },
  },
  secrets,
)
const { servers, extensions } = serving(entries)
afterAll(() => servers.close())

/** what the operation below is told to do, in turn */
let turns: ('fail' | 'happened' | 'did-not-happen' | 'unknown' | 'throw')[] = []
const flaky = defineExtension({
  name: 'flaky',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'flaky:pay',
      description: 'Pays, and loses the answer.',
      on: 'being',
      allow: ['self'],
      args: z.strictObject({ sum: z.number().describe('how much') }),
      effect: {
        timeoutSeconds: 2,
        attempts: 1,
        async perform(): Promise<{ paid: number }> {
          throw new Error('the line is cut')
        },
        async check({ args }): Promise<LostCallOutcome<{ paid: number }>> {
          const turn = turns.shift() ?? 'unknown'
          if (turn === 'throw') throw new Error('the line is still cut')
          if (turn === 'happened') return { outcome: 'happened', value: { paid: args.sum } }
          return { outcome: turn === 'did-not-happen' ? turn : 'unknown' }
        },
      },
      decide: ({ effect }) => ({ facts: [], result: effect }),
    }),
  ],
})

const world = useWorld({ extensions: [stage, flaky, ...extensions], secrets })
beforeAll(async () => {
  await world.birthPuppet('clerk')
  await acceptAll(world, entries)
})
const call = (operation: string, args: object = {}) =>
  play(world, 'clerk', { verb: 'do', operation, target: '@clerk', args: args as never })
const resultOf = async (act: string | null | undefined) => (await findEffect(world.db, act as never))?.result

describe('a lost call', () => {
  it.each([
    ['happened', ['throw', 'unknown', 'happened'], { outcome: 'act' }],
    ['did not happen', ['unknown', 'did-not-happen'], { outcome: 'failure', reason: 'SERVICE_UNAVAILABLE' }],
  ] as const)('is asked for again, until the outside says that it %s', async (_what, told, ends) => {
    turns = [...told]
    expect(await call('flaky:pay', { sum: 3 })).toMatchObject(ends)
    expect(turns).toEqual([])
  })

  it.each([
    ['posted before its server died', 'die', 1, { outcome: 'act' }],
    [
      'not posted when its server died',
      'die-before',
      0,
      { outcome: 'failure', reason: 'SERVICE_UNAVAILABLE' },
    ],
    ['posted before its server hung', 'hang', 1, { outcome: 'act' }],
  ] as const)(
    'of a letter that was %s is confirmed by another tool, and is not made again',
    async (_what, mood, times, ends) => {
      post.feel({ post: mood })
      const text = `resolved ${mood}`
      const moment = await call('letters:post', { text })
      expect(moment).toMatchObject(ends)
      expect(post.posted(text)).toHaveLength(times)
      post.feel({})
      const { act } = moment
      if (act !== null)
        expect(await resultOf(act)).toMatchObject({ checked: true, value: { toldBy: 'posted' } })
    },
  )
})

describe('a server with a secret', () => {
  it('gets it and nothing else of the environment of the worker', async () => {
    process.env.TREEOS_TEST_PASSWORD = 'open'
    expect(await call('letters:variables')).toMatchObject({ outcome: 'act' })
    const told = JSON.stringify(await resultOf((await call('letters:variables')).act))
    expect(told).toContain('LETTERS')
    expect(told).not.toContain('TREEOS_TEST_PASSWORD')
    expect(told).toContain('[secret letters]')
    delete process.env.TREEOS_TEST_PASSWORD
  })

  it('the facts and the request name the secret, and nothing holds its value', async () => {
    const facts = await listFactsAfter(world.db, 'being:clerk', 0, 500)
    expect(facts.at(-1)).toMatchObject({
      header: { kind: 'letters:called' },
      payload: { secrets: ['letters'] },
    })
    const effects = await world.db.selectFrom('moment_effect').select(['request', 'result']).execute()
    const text = effects.map(({ request, result }) => `${request}${result ?? ''}`).join('\n')
    expect(text).toContain('"secrets":["letters"]')
    expect(text).not.toContain(SESAME)
    expect(JSON.stringify(facts)).not.toContain(SESAME)
  })
})

describe('public servers', () => {
  it('over streamable HTTP', async () => {
    const { act } = await call('net:echo', { message: 'by net' })
    expect(await resultOf(act)).toEqual({ value: { text: 'Echo: by net' } })
    expect(servers.states().net).toMatchObject({ state: 'running', pid: null, protocol: '2025-11-25' })
  })

  it('behind OAuth: the client gets a token for its credentials, which no record holds', async () => {
    const { act } = await call('guarded:echo', { message: 'by token' })
    expect(await resultOf(act)).toEqual({ value: { text: 'Echo: by token' } })
    expect(guarded.asked.at(-1)).toBe(`treeos:${CLIENT}`)
    const facts = await listFactsAfter(world.db, 'being:clerk', 0, 500)
    expect(facts.at(-1)).toMatchObject({ payload: { tool: 'echo', secrets: ['client'] } })
    expect(JSON.stringify(facts)).not.toContain(CLIENT)
  })

  it('of files: what is written is there, and what is beyond its folder is its own refusal', async () => {
    const path = join(folder, 'note.txt')
    expect(await call('files:write_file', { path, content: 'kept' })).toMatchObject({ outcome: 'act' })
    expect(readFileSync(path, 'utf8')).toBe('kept')
    const { act } = await call('files:read_text_file', { path: '/etc/passwd' })
    expect(await resultOf(act)).toMatchObject({ value: { isError: true } })
  })

  it('whose answer is large is cut, and says so', async () => {
    const path = join(folder, 'large.txt')
    await call('files:write_file', { path, content: 'x'.repeat(40_000) })
    const { act } = await call('files:read_text_file', { path })
    expect(await resultOf(act)).toMatchObject({
      value: { cut: expect.arrayContaining([expect.stringMatching(/the text is cut after \d+ of 40000/)]) },
    })
  })

  it('that went away: nothing was called, and the failure says so', async () => {
    http.close()
    const moment = await call('net:echo', { message: 'gone' })
    expect(moment).toMatchObject({ outcome: 'failure' })
  })
})

it('the record verifies, and the moments replay', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})

/**
 * Pictures and files that tools and effects bring: each becomes a thing in the act, a mind that goes on is shown
 * it, and no bytes are in facts, prompts or Temporal's history.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prompt, readKeptFile, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { exportBundle } from '@treeos/proofs'
import { beingWorkflowId } from '@treeos/protocol'
import { defineExtension, defineOperation } from '@treeos/sdk'
import { findEffect, listFactsAfter } from '@treeos/store'
import { saltedHash } from '@treeos/verify/parts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Line, linesOf, summed } from '../../proofs/bundle-lines.ts'
import { mendedBundle, type Part } from '../../proofs/mutations.ts'
import { SecondVerifier, whyNoPython } from '../../proofs/second-opinion.ts'
import { askBoth } from '../../proofs/two-opinions.ts'
import { png } from '../../support/files.ts'
import { askedFor, doAs, momentOf, setRole } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { acceptAll, programOf, serving, withTools } from '../../support/tools.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const SECRET = 'tiger-milk'
const GIVEN = z.object({ name: z.string(), type: z.string().nullable(), data: z.string() })
/** Brings the files that it is asked for. */
const album = defineExtension({
  name: 'album',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'album:fetch',
      description: 'Brings files.',
      on: 'being',
      allow: ['self'],
      args: z.object({
        files: z.array(GIVEN),
        isLost: z.boolean().default(false),
        words: z.string().default(''),
      }),
      about: { files: 'the files', isLost: 'whether the answer is lost', words: 'what else it answers' },
      effect: {
        timeoutSeconds: 20,
        attempts: 1,
        secrets: ['cloud'],
        async perform({ args, keep }) {
          if (args.isLost) throw new Error('the line is dead')
          return { ...(await broughtOf(args.files, keep)), words: args.words }
        },
        check: async ({ args, keep }) => ({ outcome: 'happened', value: await broughtOf(args.files, keep) }),
      },
      decide: ({ effect }) => ({ facts: [], result: effect as Json }),
    }),
  ],
})

type Keep = (file: {
  name: string
  mediaType: string | null
  bytes: Uint8Array
}) => Promise<{ thing: string } | { why: string }>
async function broughtOf(given: readonly z.infer<typeof GIVEN>[], keep: Keep): Promise<JsonObject> {
  const kept = []
  for (const { name, type, data } of given)
    kept.push(await keep({ name, mediaType: type, bytes: Buffer.from(data, 'base64') }))
  const files = kept.flatMap((one) => ('thing' in one ? [one.thing] : []))
  return { files, left: kept.flatMap((one) => ('why' in one ? [one.why] : [])) }
}

const entries = await withTools({
  everything: { command: [process.execPath, programOf('server-everything')] },
})
const { servers, extensions } = serving(entries)
afterAll(() => servers.close())
const model = useModelServer()
const world = useWorld({
  extensions: [...extensions, album],
  modelServer: model,
  secrets: { cloud: SECRET },
  fileBounds: { fileBytesMax: 4500, allFilesBytesMax: 12_000 },
})

const TINY = 'everything:get-tiny-image'
beforeAll(async () => {
  await acceptAll(world, entries)
  await setRole(world, {
    name: 'clerk',
    canSee: ['~'],
    canDo: [TINY, 'album:fetch'],
    canSummon: [{ rel: 'asker' }],
    prose: 'answers',
    selfContinue: 'until-answered',
    prompt: 'Answer.',
  })
  for (const name of ['clerk', 'hoarder']) await world.birth({ name, cognition: 'llm', role: 'clerk' })
})

const given = (name: string, bytes: Buffer | string, type: string | null = null) => ({
  ...{ name, type },
  data: Buffer.from(bytes).toString('base64'),
})
const fetching = async (files: readonly object[], more: JsonObject = {}) => {
  const { result } = await doAs(world, 'album:fetch', '@operator', { files: files as never, ...more })
  return result as { readonly files: string[]; readonly left: string[] }
}
async function asked(being: string, operation: string, args: object = {}) {
  const replies = [
    { tool: { name: 'do', args: { operation, args } as never } },
    { content: 'That is what I found.' },
  ]
  model.script(() => replies.shift())
  const { correlation } = await summon(world, {
    ...{ target: being, content: 'Show me.', as: 'operator', waitSeconds: 40 },
  })
  const after = askedFor(model, being).at(-1)
  model.reset()
  const { n } = await momentOf(world, correlation)
  const found = (await findEffect(world.db, `${being}/1/${n}`))?.result as { value: unknown }
  return { result: found.value as { readonly files?: string[]; readonly cut?: string[] }, after }
}
const noteOf = async (thing = '') =>
  (await readKeptFile(world, 'operator', thing.slice('matter:'.length))).file

describe('a picture in the result of a tool', () => {
  it('is a thing of the being from outside, and the mind is shown it in its next moment', async () => {
    const { result, after } = await asked('clerk', TINY)
    const [thing = ''] = result.files ?? []
    expect(thing).toMatch(/^matter:file-[0-9a-f]{32}$/)
    expect(result.cut).toBeUndefined()
    const facts = await listFactsAfter(world.db, thing as never, 0, 10)
    expect(facts.map(({ header }) => [header.kind, header.actor, header.moment])).toEqual([
      ['matter:created', 'clerk', 'clerk/1/1'],
      ['matter:written', 'clerk', 'clerk/1/1'],
      ['origin:outside', 'clerk', 'clerk/1/1'],
    ])
    const { file, bytes } = await readKeptFile(world, 'operator', thing.slice('matter:'.length))
    expect(file).toMatchObject({ mediaType: 'image/png', name: 'image-2.png', bytes: bytes.length })
    expect(after?.messages.at(-1)?.content).toMatchObject([
      { type: 'text', text: `[file]\n${thing} image-2.png:` },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` } },
      { type: 'text', text: expect.stringContaining('Show me.') },
    ])
    const rebuilt = await prompt(world.db, world.registry, 'clerk', 2)
    expect(rebuilt.identical).toBe(true)
    expect(rebuilt.user).toContain(`sha256 ${file.digest}`)
    const start = bytes.toString('base64').slice(0, 24)
    expect(rebuilt.user).not.toContain(start)
    expect(await historyOf('clerk')).not.toContain(start)
  })

  it('is shown also where the rest of the result is too long to be told', async () => {
    const { after } = await asked('clerk', 'album:fetch', {
      files: [given('cat.png', png())],
      words: 'x'.repeat(9000),
    })
    expect(after?.messages.at(-1)?.content).toMatchObject([
      {},
      { type: 'image_url' },
      { text: expect.stringContaining('at most 8192 are shown') },
    ])
  })

  it('that cannot be kept is named, and the call is an act all the same', async () => {
    const { result } = await asked('hoarder', 'album:fetch', {
      files: [
        given('a', Buffer.alloc(4501)),
        ...['b', 'c', 'd', 'e'].map((name) => given(name, Buffer.alloc(3900, name))),
      ],
    })
    expect(result).toMatchObject({
      files: [expect.any(String), expect.any(String), expect.any(String)],
      left: [
        'it has 4501 bytes, at most 4500 are kept of one file',
        'at most 12000 bytes are kept of all files of @hoarder',
      ],
    })
  })
})

describe('a file that an effect keeps', () => {
  it('is once what it is, however often it is brought', async () => {
    const { files, left } = await fetching([
      given('a.txt', 'one'),
      given('a.txt', 'one'),
      given('b.txt', 'two'),
    ])
    expect(left).toEqual([])
    expect(new Set(files).size).toBe(2)
    expect(await noteOf(files[2])).toMatchObject({ name: 'b.txt', mediaType: 'text/plain' })
  })

  it.each([
    ['without bytes', given('a', ''), 'it is empty'],
    ['with a secret', given('a.txt', `the key is ${SECRET}`), 'it holds the secret cloud'],
    ['with a secret in UTF-16', given('a.txt', Buffer.from(SECRET, 'utf16le')), 'it holds the secret cloud'],
    [
      'of another type than is said',
      given('a.png', '<svg/>', 'image/png'),
      'its bytes are not of the type that it is said to have',
    ],
    ['of no type', given('a', 'x', 'no type'), 'its bytes are not of the type that it is said to have'],
  ])('is none %s', async (_what, file, why) => {
    expect(await fetching([file])).toMatchObject({ files: [], left: [why] })
  })

  it('has a name that any file may have, and that holds no secret', async () => {
    const { files } = await fetching([given(`../../etc/${SECRET}\npass`, 'x')])
    expect(await noteOf(files[0])).toMatchObject({ name: '[secret cloud]pass' })
  })

  it('is one of at most eight of an act', async () => {
    const nine = Array.from({ length: 9 }, (_, i) => given(`${i}.txt`, `${i}`))
    const { files, left } = await fetching(nine)
    expect([files.length, left]).toEqual([8, ['an act keeps at most 8 files']])
  })

  it('is a thing, too, where the answer was lost and the outside told of it later', async () => {
    const { files } = await fetching([given('late.txt', 'late')], { isLost: true })
    expect(await noteOf(files[0])).toMatchObject({ name: 'late.txt' })
  })
})

describe('the records of such files', () => {
  const why = whyNoPython()
  const second = why === null ? new SecondVerifier() : null
  const folder = mkdtempSync(join(tmpdir(), 'treeos-brought-'))
  afterAll(() => {
    second?.close()
    rmSync(folder, { recursive: true })
  })

  it('replay alike from the chain and from Temporal', async () => {
    await expectReplays(world)
    await expectUnbroken(world)
  })

  it.skipIf(why !== null)('are judged by both verifiers, which name a file that is no thing', async () => {
    const file = join(folder, 'all.jsonl')
    await exportBundle(world.db, world.reality, { log: null, file })
    const lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line)) as Line[]
    const judge = async (forge: (lines: Part[]) => void) => {
      const copy = structuredClone(lines) as Part[]
      forge(copy)
      const bundle = summed(mendedBundle(copy).map((line) => JSON.stringify(line)))
      const { first } = await askBoth(second as SecondVerifier, { bundle, key: null })
      const { status, broken = [] } = await (second as SecondVerifier).ask({ bundle, key: null, why: true })
      return [first.status, status, broken[0]?.reason]
    }
    expect(await judge(() => undefined)).toEqual(['unproven', 'unproven', undefined]) // of code of the tools
    const changed = (change: (files: Part[]) => void) => (all: Part[]) => {
      const isLate = ({ effect }: Part) => effect?.result?.files?.[0]?.name === 'late.txt'
      const { effect, record } = all.findLast(isLate) as Part
      change(effect.result.files)
      record.effect.result = saltedHash(effect.salt, effect.result)
    }
    const renamed = changed((files) => {
      files[0]!.name = 'other.txt'
    })
    expect(await judge(renamed)).toEqual(['broken', 'broken', 'facts-mismatch'])
    const more = changed((files) => {
      files.push({ ...files[0], id: `file-${'0'.repeat(32)}` })
    })
    expect(await judge(more)).toEqual(['broken', 'broken', 'law-mismatch'])
    const odd = changed((files) => {
      files[0]!.path = '/etc'
    })
    expect(await judge(odd)).toEqual(['broken', 'broken', 'effect-mismatch'])
  })
})

async function historyOf(being: string): Promise<string> {
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
  return JSON.stringify(await handle.fetchHistory(), (_key, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : (value as unknown),
  )
}

/**
 * The settings of a tool server change, or it is removed: what was lived before is told from what was edited.
 */
import { approvals } from '@treeos/client'
import { codeOf } from '@treeos/reality'
import { type ReplayReport, replay } from '@treeos/replay'
import { findOpen, findOutcome } from '@treeos/store'
import type { ServerEntries } from '@treeos/tools'
import { buildRegistry, type Extension, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tamper } from '../../store/tampered-chains.ts'
import { beingOf, doAs, live, momentOf, play, setRole } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn, expectUnbroken, openReplayer } from '../../support/replays.ts'
import { acceptAll, letters, serving, withTools } from '../../support/tools.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const post = letters()
afterAll(() => post.feel({}))
const plain = await withTools({ letters: { command: post.command } })
const asking = withEntry({ ask: { who: ['operator'] } })
const described = withEntry({
  tools: { ...plain.letters?.tools, post: { ...plain.letters?.tools.post, description: 'Posts a note.' } },
})
const [withoutAsk, withAsk] = [serving(plain), serving(asking)]
const anew = serving(described)
afterAll(() => Promise.all([withoutAsk, withAsk, anew].map(({ servers }) => servers.close())))

function withEntry(more: object): ServerEntries {
  return { letters: { ...plain.letters, ...more } } as ServerEntries
}

const model = useModelServer()
const world = useWorld({ extensions: [stage, ...withoutAsk.extensions], modelServer: model })
const queue: Reply[] = []
beforeAll(async () => {
  model.script((request) =>
    beingOf(request) === 'poet' ? (queue.shift() ?? { content: 'done' }) : undefined,
  )
  await acceptAll(world, plain)
  const canDo = ['letters:post']
  await setRole(world, {
    name: 'writer',
    canSee: ['~'],
    canDo,
    canSummon: [{ rel: 'asker' }],
    canBe: [],
    prompt: '',
  })
  await world.birthPuppet('clerk')
  await world.birth({ name: 'poet', cognition: 'llm', role: 'writer' })
})

const posting = (being: string, text: string) =>
  ({ verb: 'do', operation: 'letters:post', target: `@${being}`, args: { text } }) as const
/** Its model posts a letter. */
function writes(text: string) {
  const { verb: _, ...args } = posting('poet', text)
  queue.push({ tool: { name: 'do', args } })
  return live(world, 'poet', text)
}
async function startWith({ extensions }: { readonly extensions: readonly Extension[] }): Promise<void> {
  await world.stopWorker()
  await world.startWorker([stage, ...extensions])
}
/** Replays all from both as a process would that loads these extensions. */
async function replayWith({
  extensions,
}: {
  readonly extensions: readonly Extension[]
}): Promise<ReplayReport> {
  const registry = buildRegistry([seed, stage, ...extensions])
  return replay({ ...world, registry }, { beings: null, from: 'both', replayer: await openReplayer() })
}
const fieldsOf = ({ elsewhere = [] }: ReplayReport, being: string, n: number) =>
  elsewhere.filter((one) => one.being === being && one.n === n).map(({ field }) => field)

describe('what was lived before the settings of a tool server changed', () => {
  it('is as it was while they are the same', async () => {
    expect(await play(world, 'clerk', posting('clerk', 'first'))).toMatchObject({ n: 1, outcome: 'act' })
    expect(await writes('of the model')).toMatchObject({ outcome: 'act' })
    const replayed = await replayWith(withoutAsk)
    expect(replayed).toMatchObject({ identical: true, mismatches: [] })
    expect(replayed).not.toHaveProperty('otherCode')
  })

  it('counts as lived with other extensions once calls are asked about, and not as different', async () => {
    await startWith(withAsk)
    expect(await play(world, 'clerk', posting('clerk', 'second'))).toMatchObject({
      n: 2,
      outcome: 'waiting',
    })
    const [waits] = await approvals(world, 'operator')
    await doAs(world, 'approve', '@operator', { id: waits?.id ?? '' })
    expect(await momentOf(world, `approved/${waits?.id}`)).toMatchObject({ n: 3, outcome: 'act' })
    const replayed = await replayWith(withAsk)
    expect(replayed).toMatchObject({ identical: true, mismatches: [] })
    expect(fieldsOf(replayed, 'clerk', 1)).toContain('outcome')
    expect(fieldsOf(replayed, 'clerk', 2)).toEqual([])
    expect(replayed.elsewhere?.every(({ from }) => from === 'chain')).toBe(true)
  })

  it('so does what was approved, once calls are asked about no longer', async () => {
    await startWith(withoutAsk)
    const replayed = await replayWith(withoutAsk)
    expect(replayed).toMatchObject({ identical: true, mismatches: [] })
    expect(fieldsOf(replayed, 'clerk', 1)).toEqual([])
    expect(fieldsOf(replayed, 'clerk', 2)).toEqual(['effect'])
    expect(fieldsOf(replayed, 'clerk', 3)).not.toEqual([])
    expect(replayed.elsewhere).toContainEqual(
      expect.objectContaining({ being: 'clerk', n: 2, field: 'effect', from: 'chain', recorded: 'waiting' }),
    )
  })

  it('so do calls and prompts once another declaration was accepted, and once the server is removed', async () => {
    for (const others of [anew, { extensions: [] }]) {
      const replayed = await replayWith(others)
      expect(replayed).toMatchObject({ identical: true, mismatches: [] })
      expect(fieldsOf(replayed, 'poet', 1)).toEqual(
        others === anew ? ['outcome', 'reason', 'by'] : expect.arrayContaining(['face', 'promptDigest']),
      )
      expect(replayed.otherCode).toBe(
        new Set(replayed.elsewhere?.map(({ being, n }) => `${being} ${n}`)).size,
      )
    }
  })

  it('names the extensions in its record, also where a mind failed', async () => {
    queue.push({ status: 422 })
    expect(await live(world, 'poet', 'never')).toMatchObject({ n: 2, outcome: 'failure' })
    const code = codeOf(buildRegistry([seed, stage, ...withoutAsk.extensions]))
    // it is that of the open record
    expect((await findOutcome(world.db, 'poet/1/2'))?.record.code).toBeUndefined()
    expect((await findOpen(world.db, 'poet/1/2'))?.record).toMatchObject({ code })
    expect(await replayWith({ extensions: [] })).toMatchObject({ identical: true })
  })
})

it('the digest depends on versions and settings, and not on the order of extensions', () => {
  const of = (...extensions: object[]) => codeOf({ ...buildRegistry([]), extensions: extensions as never })
  const [a, b] = [
    { name: 'a', version: '1' },
    { name: 'b', version: '1', settings: { x: 1 } },
  ]
  expect(of(a, b)).toBe(of(b, a))
  for (const other of [
    [a, { ...b, settings: { x: 2 } }],
    [{ ...a, version: '2' }, b],
    [a, { name: 'b', version: '1' }],
  ])
    expect(of(...other)).not.toBe(of(a, b))
})

describe('what was edited is found', () => {
  beforeAll(() => expectUnbroken(world))

  it.each([
    ['a face', 'moment_open', 'face', 'open'],
    ['the program', 'moment_open', 'program', 'open'],
    ['which extensions showed the face', 'moment_open', 'code', 'open'],
  ] as const)('%s, with the same extensions and with others', async (_what, table, field, differs) => {
    const found = await findOpen(world.db, 'poet/1/1')
    const record: object = found?.record ?? {}
    const was = String(Object.entries(record).find(([key]) => key === field)?.[1])
    const now = `${was.startsWith('0') ? '1' : '0'}${was.slice(1)}`
    const swap = (from: string, to: string) =>
      tamper(
        world,
        `update treeos.${table} set record = convert_to(replace(convert_from(record, 'UTF8'), '"${field}":"${from}"', '"${field}":"${to}"'), 'UTF8') where moment = 'poet/1/1'`,
      )
    await swap(was, now)
    expect((await brokenIn(world)).length).toBeGreaterThan(0)
    for (const extensions of [withoutAsk.extensions, []]) {
      const { identical, mismatches } = await replayWith({ extensions })
      expect(identical).toBe(false)
      expect(mismatches).toContainEqual(expect.objectContaining({ being: 'poet', n: 1, field: differs }))
    }
    await swap(now, was)
    expect(await replayWith(withoutAsk)).toMatchObject({ identical: true })
  })
})

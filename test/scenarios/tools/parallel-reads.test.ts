/** Several reads that a model wrote in one answer: a moment each, without asking it, and then it sees what all of them gave. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inbox, moments, summon } from '@treeos/client'
import { exportBundle } from '@treeos/proofs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Line, linesOf, summed } from '../../proofs/bundle-lines.ts'
import { mendedBundle, type Part } from '../../proofs/mutations.ts'
import { SecondVerifier, whyNoPython } from '../../proofs/second-opinion.ts'
import { askBoth } from '../../proofs/two-opinions.ts'
import { askedFor, beingOf, doAs, setRole, wakesOf } from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { acceptAll, letters, serving, withTools } from '../../support/tools.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const post = letters()
const entries = await withTools({
  letters: { command: post.command, silenceSeconds: 5, timeoutSeconds: 10, reads: ['wait'] },
})
const { servers, extensions } = serving(entries)
afterAll(() => servers.close())
const model = useModelServer()
const world = useWorld({ extensions, modelServer: model })

const READS = ['letters:posted', 'letters:variables', 'letters:wait']
beforeAll(async () => {
  await acceptAll(world, entries)
  const lists = { canSee: ['~'], canSummon: [{ rel: 'asker' }], prompt: '', prose: 'answers' }
  const desk = { ...lists, canDo: [...READS, 'letters:post', 'set-being'] }
  await setRole(world, { name: 'desk', selfContinue: 'until-answered', ...desk })
  await setRole(world, { name: 'narrow', selfContinue: 'until-answered', ...lists, canDo: [READS[0] ?? ''] })
  await setRole(world, { name: 'once', ...desk })
  await setRole(world, { name: 'short', selfContinue: 'until-answered', steps: 2, ...desk })
})

const tool = (operation: string, args: object = {}) => ({ name: 'do', args: { operation, args } as never })
const posted = (text: string) => tool('letters:posted', { text })
const scripts = new Map<string, Reply[]>()
async function thinker(name: string, replies: readonly Reply[], role = 'desk'): Promise<void> {
  await world.birth({ name, cognition: 'llm', role })
  scripts.set(name, [...replies])
  model.script((request) => scripts.get(beingOf(request))?.shift() ?? { content: 'done' })
}
const ask = (target: string, more: object = {}) =>
  summon(world, {
    target,
    content: 'Look it up.',
    as: 'operator',
    waitSeconds: 30,
    requireReply: true,
    ...more,
  })
const prompts = (being: string) =>
  askedFor(model, being).map(({ messages }) => messages.map(({ content }) => content).join('\n\n'))
const idsOf = async (being: string) => (await wakesOf(world, being)).slice(1).map(({ id }) => id)
const endsOf = async (being: string) =>
  (await moments(world.db, being)).map(({ outcome, reason, did }) => [
    outcome,
    reason ?? did?.operation ?? null,
  ])

describe('reads of one answer', () => {
  it('are made one a moment without asking the model, which then sees what all of them gave', async () => {
    await thinker('clerk', [
      { tools: [posted('a'), tool('letters:variables'), posted('b'), tool('letters:wait', { seconds: 0 })] },
      { content: 'None was posted.' },
    ])
    expect(await ask('clerk')).toMatchObject({ reply: { content: 'None was posted.' }, moment: { n: 5 } })
    expect(await endsOf('clerk')).toEqual([
      ['act', 'letters:posted'],
      ['act', 'letters:variables'],
      ['act', 'letters:posted'],
      ['act', 'letters:wait'],
      ['act', null],
    ])
    expect((await idsOf('clerk')).slice(0, 4)).toEqual([
      'read/clerk/1/1',
      'read/clerk/1/2',
      'read/clerk/1/3',
      'continue/clerk/1/4',
    ])
    expect(prompts('clerk')).toHaveLength(2)
    expect(prompts('clerk')[1]).toMatch(
      /You did letters:posted on @clerk \(text a\)\. It gave: .*it was not\.\nYou did letters:variables.*\nYou did letters:posted.*\(text b\).*\nYou did letters:wait.*waited\./s,
    )
    expect(prompts('clerk')[1]).not.toContain('only the first was made')
  })

  it('let a model write several, which a being without such tools may not', async () => {
    await setRole(world, {
      name: 'plain',
      canDo: ['set-being'],
      canSee: ['~'],
      canSummon: [{ rel: 'asker' }],
      prompt: '',
      prose: 'answers',
    })
    await thinker('plain', [{ content: 'Nothing.' }], 'plain')
    const parallel = (being: string) =>
      askedFor(model, being).map(
        (request) => (request as { parallel_tool_calls?: boolean }).parallel_tool_calls,
      )
    await ask('plain')
    expect(parallel('clerk')).toEqual([undefined, undefined])
    expect(parallel('plain')).toEqual([false])
  })

  it('go on after one that is refused, and the model is told why', async () => {
    await thinker(
      'limited',
      [{ tools: [posted('a'), tool('letters:variables'), posted('b')] }, { content: 'Half of it.' }],
      'narrow',
    )
    expect(await ask('limited')).toMatchObject({ reply: { content: 'Half of it.' } })
    expect((await endsOf('limited')).slice(0, 3)).toEqual([
      ['act', 'letters:posted'],
      ['failure', 'FORBIDDEN'],
      ['act', 'letters:posted'],
    ])
    expect(prompts('limited')[1]).toContain('You called letters:variables on @limited, and it failed: ')
    const told = (await inbox(world, 'operator')).map(({ content }) => JSON.stringify(content))
    expect(told.filter((text) => text.includes('letters:variables'))).toEqual([]) // told to nobody else
  })

  it('go on after a first or last one that is refused', async () => {
    await thinker(
      'edges',
      [{ tools: [tool('letters:variables'), posted('a'), tool('letters:wait')] }, { content: 'Some.' }],
      'narrow',
    )
    expect(await ask('edges')).toMatchObject({ reply: { content: 'Some.' } })
    expect((await endsOf('edges')).map(([outcome]) => outcome)).toEqual(['failure', 'act', 'failure', 'act'])
    expect((await idsOf('edges')).slice(0, 3)).toEqual([
      'read/edges/1/1',
      'read/edges/1/2',
      'continue/edges/1/3',
    ])
  })

  it('are not queued with a call that changes something: only the first is made, and the others are told', async () => {
    await thinker('mixed', [
      { tools: [posted('c'), tool('letters:post', { text: 'c' })] },
      { tools: [tool('letters:post', { text: 'd' }), posted('d')] },
      { content: 'Done.' },
    ])
    expect(await ask('mixed')).toMatchObject({ reply: { content: 'Done.' }, moment: { n: 3 } })
    expect(post.posted('c')).toEqual([])
    expect(post.posted('d')).toHaveLength(1)
    for (const n of [1, 2])
      expect(prompts('mixed')[n]).toContain('You wrote 2 calls, and only the first was made')
  })

  it('are made once each where the model wrote one of them twice', async () => {
    await thinker('twice', [{ tools: [posted('e'), posted('e'), posted('f')] }, { content: 'Done.' }])
    expect(await ask('twice')).toMatchObject({ moment: { n: 3 } })
  })

  it('are not queued in a role that does not go on', async () => {
    await thinker('brief', [{ tools: [posted('g'), posted('h')] }], 'once')
    await expect(ask('brief')).rejects.toMatchObject({ code: 'NO_ANSWER' })
    expect(await endsOf('brief')).toHaveLength(1)
  })

  it('end at the steps of its role', async () => {
    await thinker('tired', [{ tools: ['i', 'j', 'k', 'l'].map(posted) }], 'short')
    await expect(ask('tired')).rejects.toMatchObject({ code: 'NO_ANSWER' })
    expect(await endsOf('tired')).toEqual([
      ['act', 'letters:posted'],
      ['act', 'letters:posted'],
      ['act', 'steps-spent'],
    ])
  })

  it('are not queued once the operator accepts the tools as no reads', async () => {
    const { tools } = (await rowsOfRoot()) as { tools: { letters: Record<string, { digest: string }> } }
    const digests = Object.fromEntries(
      Object.entries(tools.letters).map(([name, { digest }]) => [name, digest]),
    )
    await doAs(world, 'tools:accept', '/', { server: 'letters', tools: digests })
    await thinker('later', [{ tools: [posted('m'), posted('n')] }, { content: 'Done.' }])
    expect(await ask('later')).toMatchObject({ moment: { n: 2 } })
    expect(prompts('later')[1]).toContain('You wrote 2 calls, and only the first was made')
    await acceptAll(world, entries)
  })
})

const rowsOfRoot = async (): Promise<object | undefined> => {
  const { readRows } = await import('@treeos/store')
  const { spaceKey } = await import('@treeos/world')
  const [row] = await readRows(world.db, world.reality.id, [spaceKey('/')])
  return (row?.state as { qualities?: object } | undefined)?.qualities
}

describe('the records of reads', () => {
  const why = whyNoPython()
  const second = why === null ? new SecondVerifier() : null
  const folder = mkdtempSync(join(tmpdir(), 'treeos-reads-'))
  afterAll(() => {
    second?.close()
    rmSync(folder, { recursive: true })
  })

  it('replay alike from the chain and from Temporal', async () => {
    await expectReplays(world)
    await expectUnbroken(world)
  })

  it.skipIf(why !== null)(
    'are proven by both verifiers, which name a call that no answer holds',
    async () => {
      // Nothing is done outside: the key of an effect follows from the moment before, so that would be told first.
      await thinker(
        'shut',
        [{ tools: [tool('letters:variables'), tool('letters:wait')] }, { content: 'None.' }],
        'narrow',
      )
      expect(await ask('shut')).toMatchObject({ moment: { n: 3 } })
      const file = join(folder, 'all.jsonl')
      await exportBundle(world.db, world.reality, { log: null, file })
      const lines = linesOf(readFileSync(file)).map((line) => JSON.parse(line)) as Line[]
      const judge = async (forge: (moments: Part[]) => void) => {
        const copy = structuredClone(lines) as Part[]
        forge(copy.filter(({ kind, being }) => kind === 'moment' && being === 'shut'))
        const bundle = summed(mendedBundle(copy).map((line) => JSON.stringify(line)))
        const { first } = await askBoth(second as SecondVerifier, { bundle, key: null })
        const { status, broken = [] } = await (second as SecondVerifier).ask({ bundle, key: null, why: true })
        return [first.status, status, broken[0]?.what]
      }
      expect(await judge(() => undefined)).toEqual(['unproven', 'unproven', undefined]) // of code of the tools
      expect(
        await judge((moments) => {
          moments[0]!.decision.reads[0].args = { other: 'call' }
        }),
      ).toEqual(['broken', 'broken', 'it makes another call than the next one of the answer'])
      expect(
        await judge((moments) => {
          delete moments[0]!.decision.reads
        }),
      ).toEqual(['broken', 'broken', 'it reads on, and the answer had no further call'])
    },
  )
})

import { act, gather, inbox, moments, prompt, summon, thread } from '@treeos/client'
import { isJsonObject, type Json, type JsonObject, LIMITS } from '@treeos/core'
import { defineExtension } from '@treeos/sdk'
import { findEntry, listChain } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  groundOf,
  live,
  momentOf,
  play,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
/** Looks at its space once, and then tells its asker which looks it saw. */
const scouting = defineExtension({
  name: 'scouting',
  version: '1.0.0',
  scripts: {
    'scouting:on': ({ wake }) => {
      const { event, address } = (isJsonObject(wake.content) ? wake.content : {}) as JsonObject
      const call =
        event === 'look'
          ? {
              verb: 'summon',
              target: `@${wake.from}`,
              content: { saw: address },
              inReplyTo: wake.correlation,
            }
          : { verb: 'see', address: '/library' }
      return { kind: 'call', call, content: null } as never
    },
  },
})
const world = useWorld({ extensions: [stage, scouting], modelServer: model })
beforeAll(async () => {
  const lists = { canSee: ['/library', '~'], canDo: ['set-being'], canSummon: [{ rel: 'asker' }], prompt: '' }
  await setRole(world, { name: 'guide', ...lists })
  await setRole(world, { name: 'steady-guide', selfContinue: true, ...lists })
})

const look = (address: string): Reply => ({ tool: { name: 'see', args: { address } } })
const staring = (n: number): Reply => look(n % 2 === 0 ? '/library' : '~')
const say = (content: string): Reply => ({ tool: { name: 'summon', args: { content } } })

/** A being whose model answers with these, in order, and then is silent; or for ever. */
async function thinker(
  name: string,
  replies: readonly Reply[] | ((n: number) => Reply),
  role = 'guide',
): Promise<void> {
  await world.birth({ name, cognition: 'llm', role })
  const queue = typeof replies === 'function' ? null : [...replies]
  let n = 0
  scripts.set(name, () =>
    typeof replies === 'function' ? replies(n++) : (queue?.shift() ?? { content: 'no more' }),
  )
  model.script((request) => scripts.get(beingOf(request))?.())
}
const scripts = new Map<string, () => Reply>()

const ask = (target: string, content: Json = 'What is this place?') =>
  summon(world, { target, content, as: 'operator', waitSeconds: 30, requireReply: true })
/** What each wake of a being said; a text as `{said}`. */
const told = async (being: string): Promise<JsonObject[]> =>
  (await wakesOf(world, being)).map(({ content }) =>
    typeof content === 'string' ? { said: content } : (content as JsonObject),
  )
const ends = async (being: string) =>
  (await moments(world.db, being)).map(({ outcome, reason }) => [outcome, reason ?? null])

describe('a look answers', () => {
  it('what the see tool shows reaches the same mind, which then answers its asker; --wait waits for that', async () => {
    await doAs(world, 'set-space', '/library', { field: 'ambient.tone', value: 'quiet' })
    await thinker('librarian-two', [look('/library'), say('A quiet library.')])
    const before = (await groundOf(world)) as { facts: number }
    const { correlation, moment, reply } = await ask('librarian-two')
    expect(reply).toEqual({ from: '@librarian-two', content: 'A quiet library.' })
    expect(moment).toMatchObject({
      n: 2,
      outcome: 'act',
      wake: 'look/librarian-two/1/1',
      woke: { trigger: 'look', from: '@operator', what: '/library', thread: correlation },
    })
    expect(await ends('librarian-two')).toEqual([
      ['see', null],
      ['act', null],
    ])
    expect(await told('librarian-two')).toEqual([
      { said: 'What is this place?' },
      {
        event: 'look',
        actor: '@librarian-two',
        prior: 'librarian-two/1/1',
        step: 1,
        of: LIMITS.stepsDefault,
        correlation,
        begun: { from: '@operator', content: 'What is this place?' },
        earlier: [],
        address: '/library',
        seen: expect.objectContaining({
          address: expect.objectContaining({ path: '/library' }),
          beings: ['@echo', '@librarian'],
          qualities: { ambient: { tone: 'quiet' } },
        }),
        same: { digest: expect.any(String), times: 1 },
      },
    ])
    // The look wrote no fact: there is what the operator said, and the answer.
    expect(((await groundOf(world)) as { facts: number }).facts).toBe(before.facts + 2)
  })

  it('keeps asker, thread, hops and correlation: the answer is the one reply, in the thread of the question', async () => {
    await world.birthPuppet('visitor')
    await thinker('porter', [look('/library'), look('~'), say('Come in.')])
    await play(world, 'visitor', { verb: 'summon', target: '@porter', content: 'May I enter?' })
    const answer = await until(async () =>
      (await wakesOf(world, 'visitor')).find(({ caller }) => caller?.name === 'porter'),
    )
    const [question, first, second] = await wakesOf(world, 'porter')
    expect(answer).toMatchObject({ content: 'Come in.', inReplyTo: question!.id, root: question!.root })
    const kept = {
      caller: question!.caller,
      root: question!.root,
      hops: question!.hops,
      answers: question!.id,
    }
    expect(first).toMatchObject({ kind: 'event', id: 'look/porter/1/1', continues: 1, ...kept })
    expect(second).toMatchObject({ kind: 'event', id: 'look/porter/1/2', continues: 2, ...kept })
    const replies = (await listChain(world.db, question!.root)).filter(
      ({ inReplyTo }) => inReplyTo === question!.id,
    )
    expect(replies).toHaveLength(1)
    await until(async () => (await thread(world.db, question!.root)).open === 0)
  })

  it('shows the looks before it too, since a moment has no past turns', async () => {
    await thinker('wanderer', [look('/library'), look('~'), say('I saw both.')])
    expect((await ask('wanderer')).reply?.content).toBe('I saw both.')
    expect((await told('wanderer'))[2]).toMatchObject({
      step: 2,
      earlier: [{ address: '/library', seen: { address: { path: '/library' } } }],
      address: '~',
      seen: { address: { path: '/' } },
    })
  })

  it('wears what it wore: the flow still sees who asked, and the asker is in reach', async () => {
    await thinker('mirror', [look('/library'), say('It is me.')], 'resident')
    await setFlow(world, 'mirror', [{ when: { 'caller.cognition': 'human' }, role: 'guide' }])
    expect((await ask('mirror')).moment).toMatchObject({ n: 2, primary: 'guide' })
  })

  it('of a being that no one asked goes on too, until it is silent', async () => {
    await thinker('sentry', [look('/library')])
    await setFlow(world, 'sentry', [
      { stack: true, when: { 'world.alarm.rung': true }, role: 'stage:mode-1' },
      { role: 'guide' },
    ])
    await act(world, 'operator', {
      verb: 'do',
      operation: 'set-world-signal',
      target: '/',
      args: { namespace: 'alarm', key: 'rung', value: true },
    })
    await until(async () => (await moments(world.db, 'sentry')).length === 2)
    expect((await told('sentry'))[1]).toMatchObject({
      event: 'look',
      begun: { event: 'changed', what: 'world.alarm.rung' },
    })
    expect((await told('sentry'))[1]).not.toHaveProperty('correlation')
  })

  it('of a script reaches the script, which answers the summon that it looked for', async () => {
    await world.birth({ name: 'scout', cognition: 'scripted', script: 'scouting:on', role: 'guide' })
    const { correlation, reply } = await ask('scout')
    expect(reply).toEqual({ from: '@scout', content: { saw: '/library' } })
    expect((await wakesOf(world, 'operator')).at(-1)).toMatchObject({ inReplyTo: correlation })
  })

  it('of a role with selfContinue goes on after the answer as well', async () => {
    await thinker('host', [look('/library'), say('Welcome.')], 'steady-guide')
    expect((await ask('host')).reply?.content).toBe('Welcome.')
    await until(async () => (await moments(world.db, 'host')).length === 3)
    expect((await told('host'))[2]).toEqual({
      event: 'self-continue',
      actor: '@host',
      prior: 'host/1/2',
      step: 2,
      of: 16,
      begun: { from: '@operator', content: 'What is this place?' },
      did: 'said to @operator: "Welcome."',
      same: { digest: expect.any(String), times: 1 },
    })
  })

  it('is waited for by gather, and by a person that asks several', async () => {
    await thinker('left', [look('/library'), say('aye')])
    await thinker('right', [look('/library'), { content: 'hm' }])
    expect(
      await gather(world, { targets: ['left', 'right'], content: '?', as: 'operator', waitSeconds: 30 }),
    ).toMatchObject({
      complete: false,
      replies: [{ from: '@left', content: 'aye' }],
      silent: [{ from: '@right', outcome: 'see', reason: null }],
      waiting: [],
    })
  })
})

describe('a look ends', () => {
  it(`after ${LIMITS.stepsDefault} looks, with a reason that everybody can see`, async () => {
    await thinker('starer', staring)
    await expect(ask('starer')).rejects.toMatchObject({
      code: 'NO_ANSWER',
      message: expect.stringContaining(
        `used all ${LIMITS.stepsDefault} steps that its role allows before this look`,
      ),
      detail: { outcome: 'see', reason: 'steps-spent' },
    })
    expect(await ends('starer')).toEqual([
      ...Array.from({ length: LIMITS.stepsDefault }, () => ['see', null]),
      ['see', 'steps-spent'],
    ])
    expect(askedFor(model, 'starer')).toHaveLength(LIMITS.stepsDefault + 1)
    const notices = (await inbox(world, 'operator')).filter(({ correlation }) =>
      correlation.startsWith('looked/starer/'),
    )
    expect(notices).toMatchObject([
      { content: { event: 'steps-spent', actor: '@starer', steps: LIMITS.stepsDefault } },
    ])
    // A wake from outside may look again.
    await live(world, 'starer', 'and now?')
    await until(async () => (await moments(world.db, 'starer')).length > LIMITS.stepsDefault + 2)
  })

  it('with its budget: the being is parked, and who waits is told', async () => {
    await doAs(world, 'set-space', '/library', { field: 'book.page', value: 'x'.repeat(8_000) })
    await thinker('pauper', staring)
    await doAs(world, 'set-budget', '@pauper', { tokens: 9_000, per: 'total' })
    await expect(ask('pauper')).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
    expect(await ends('pauper')).toEqual([
      ['see', null],
      ['failure', 'BUDGET_EXCEEDED'],
    ])
    await doAs(world, 'set-space', '/library', { field: 'book', value: null })
  })

  it('with the thread: a cut ends it before the next look', async () => {
    const gate = Promise.withResolvers<void>()
    await thinker('gazer', staring)
    model.script(async (request) => {
      if (beingOf(request) !== 'gazer') return scripts.get(beingOf(request))?.()
      if (askedFor(model, 'gazer').length === 2) await gate.promise
      return look('/library')
    })
    const id = await tell(world, 'gazer', 'look')
    await until(() => askedFor(model, 'gazer').length === 2)
    await doAs(world, 'cut-thread', `thread:${id}`, {})
    gate.resolve()
    expect(await momentOf(world, 'look/gazer/1/1')).toMatchObject({ reason: 'RESOURCE_CONFLICT' })
    expect(await findEntry(world.db, 'look/gazer/1/2')).toBeNull()
  })

  it('not when what is looked at is beyond its lists: the refusal is shown, and the being goes on', async () => {
    await thinker('peeper', [look('/library'), look('@operator'), say('I may not.')])
    expect((await ask('peeper')).reply?.content).toBe('I may not.')
    expect(await ends('peeper')).toEqual([
      ['see', null],
      ['see', 'FORBIDDEN'],
      ['act', null],
    ])
    expect((await told('peeper'))[2]).toMatchObject({
      earlier: [{ address: '/library' }],
      refused: { code: 'FORBIDDEN' },
    })
  })

  it('of more than a wake may hold shows what fits, and names what was left out', async () => {
    const page = 'x'.repeat(40_000)
    await doAs(world, 'set-space', '/library', { field: 'book.page', value: page })
    await thinker('reader', [look('/library'), look('/library'), say('Long.')])
    expect((await ask('reader')).reply?.content).toBe('Long.')
    expect((await told('reader'))[2]).toMatchObject({
      earlier: [
        {
          address: '/library',
          seen: { omitted: expect.stringMatching(/^left out: with it the content has \d+ bytes/) },
        },
      ],
      begun: { content: 'What is this place?' },
      seen: { qualities: { book: { page } } },
    })
    await doAs(world, 'set-space', '/library', { field: 'book', value: null })
  })

  it('a person does not look: it sees by SEE, and no moment follows', async () => {
    const before = (await moments(world.db, 'operator')).length
    await act(world, 'operator', { verb: 'see', address: '/library' })
    expect((await moments(world.db, 'operator')).length).toBe(before + 1)
    expect(await findEntry(world.db, `look/operator/1/${before + 1}`)).toBeNull()
    // A refusal fails its act, as before: it is told at once.
    await expect(act(world, 'operator', { verb: 'see', address: 'thread:none' })).rejects.toMatchObject({
      code: 'CORRELATION_NOT_FOUND',
    })
  })
})

describe('afterwards', () => {
  it('the prompt of a look is rebuilt as it was', async () => {
    expect(await prompt(world.db, world.registry, 'wanderer', 3)).toMatchObject({ identical: true })
  })

  it('every look replays from the chain and by Temporal, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

import { act, inbox, moments, reply, summon } from '@treeos/client'
import { findEntry, listChain, listOutcomes } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  factsOf,
  live,
  momentOf,
  play,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { wordsIn } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const puppet = (name: string) => world.birthPuppet(name)
const thinker = (name: string, more = {}) =>
  world.birth({ name, cognition: 'llm', role: 'resident', ...more })

/** A gate: requests wait until it opens. */
function door(): { wait: Promise<void>; open: () => void } {
  let open = () => {}
  const wait = new Promise<void>((resolve) => {
    open = resolve
  })
  return { wait, open }
}

describe('one moment at a time', () => {
  it('one being lives one moment at a time, while another being thinks', async () => {
    await thinker('slow')
    await thinker('beside')
    const gate = door()
    let thinking = 0
    let together = 0
    model.script(async (request) => {
      if (beingOf(request) !== 'slow') return undefined
      thinking += 1
      together = Math.max(together, thinking)
      await gate.wait
      thinking -= 1
      return undefined
    })
    const told = [
      await tell(world, 'slow', 'a'),
      await tell(world, 'slow', 'b'),
      await tell(world, 'slow', 'c'),
    ]
    await until(() => thinking === 1)
    // Slow is in the middle of a moment, and this one is over before slow's is.
    expect(await live(world, 'beside', 'and you?')).toMatchObject({ outcome: 'act' })
    expect(await moments(world.db, 'slow')).toEqual([])
    gate.open()
    for (const correlation of told)
      expect(await momentOf(world, correlation)).toMatchObject({ outcome: 'act' })
    expect(together).toBe(1)
    const outcomes = await listOutcomes(world.db, 'slow')
    expect(outcomes.map(({ n }) => n)).toEqual([1, 2, 3])
    for (const [i, { record }] of outcomes.entries()) {
      expect(record.openedAt).toBeGreaterThanOrEqual(outcomes[i - 1]?.sealedAt ?? 0)
    }
    model.reset()
  })

  it('control: two beings think at once, so the count above would show two moments of one', async () => {
    for (const name of ['left', 'right']) await thinker(name)
    const gate = door()
    const thinking = new Set<string>()
    model.script(async (request) => {
      thinking.add(beingOf(request))
      if (thinking.size === 2) gate.open()
      await gate.wait
      return undefined
    })
    const told = [await tell(world, 'left', 'a'), await tell(world, 'right', 'b')]
    for (const correlation of told)
      expect(await momentOf(world, correlation)).toMatchObject({ outcome: 'act' })
    expect([...thinking].sort()).toEqual(['left', 'right'])
    model.reset()
  })

  it('human overtakes interactive, which overtakes background; between equals age decides', async () => {
    await thinker('queued')
    const gate = door()
    model.script(async (request) => {
      if (beingOf(request) === 'queued') await gate.wait
      return undefined
    })
    const told = [await tell(world, 'queued', 'first')]
    await until(() => askedFor(model, 'queued').length === 1)
    for (const [content, priority] of [
      ['background 1', 'background'],
      ['interactive 1', 'interactive'],
      ['background 2', 'background'],
      ['human 1', 'human'],
      ['interactive 2', 'interactive'],
      ['human 2', 'human'],
    ] as const) {
      told.push(await tell(world, 'queued', content, { priority }))
    }
    gate.open()
    for (const correlation of told) await momentOf(world, correlation)
    expect(askedFor(model, 'queued').map(wordsIn)).toEqual([
      'first',
      'human 1',
      'human 2',
      'interactive 1',
      'interactive 2',
      'background 1',
      'background 2',
    ])
    model.reset()
  })
})

describe('three minds', () => {
  it('a scripted being runs its function, and no model is asked', async () => {
    await puppet('clockwork')
    const before = model.requests.length
    expect(await play(world, 'clockwork', { verb: 'summon', content: 'tick' }, 'tock')).toMatchObject({
      outcome: 'act',
      content: 'tock',
    })
    expect(model.requests.length).toBe(before)
  })

  it('an LLM being asks its provider exactly once a moment, whatever the moment comes to', async () => {
    await thinker('counted')
    const answers = [
      undefined,
      { content: 'only words' }, // the answer of a resident
      { tool: { name: 'dance', args: {} } },
      { tool: { name: 'do', args: { operation: 'move', target: '/library' } } },
    ] as const
    const queue = [...answers]
    model.script((request) => (beingOf(request) === 'counted' ? queue.shift() : undefined))
    const outcomes = []
    for (const [i] of answers.entries()) outcomes.push((await live(world, 'counted', `moment ${i}`)).outcome)
    expect(outcomes).toEqual(['act', 'act', 'failure', 'failure'])
    expect(askedFor(model, 'counted').map(wordsIn)).toEqual(answers.map((_, i) => `moment ${i}`))
    model.reset()
  })

  it('a summon of a person rests in the inbox, past a restart of the worker, until the person answers', async () => {
    await puppet('petitioner')
    await play(world, 'petitioner', { verb: 'summon', target: '@operator', content: 'may I?' })
    const [entry] = (await inbox(world, 'operator')).filter(({ from }) => from === '@petitioner')
    expect(entry).toMatchObject({ content: 'may I?', priority: 'interactive' })
    const lived = (await moments(world.db, 'operator')).length
    await world.stopWorker()
    await world.startWorker()
    expect(await inbox(world, 'operator')).toContainEqual(entry)
    expect((await moments(world.db, 'operator')).length).toBe(lived) // it opened no moment

    const { correlation } = await reply(world, {
      correlation: entry!.correlation,
      content: 'you may',
      as: 'operator',
      waitSeconds: null,
    })
    expect(await momentOf(world, correlation)).toMatchObject({ outcome: 'see' })
    expect((await inbox(world, 'operator')).map((open) => open.correlation)).not.toContain(entry!.correlation)
    expect(await findEntry(world.db, correlation)).toMatchObject({
      being: 'petitioner',
      inReplyTo: entry!.correlation,
      content: 'you may',
      caller: { name: 'operator', cognition: 'human' },
    })
    await expect(
      reply(world, { correlation: entry!.correlation, content: 'again', as: 'operator', waitSeconds: null }),
    ).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await expect(
      reply(world, { correlation: 'no-such', content: 'x', as: 'operator', waitSeconds: null }),
    ).rejects.toMatchObject({ code: 'CORRELATION_NOT_FOUND', message: expect.stringContaining('no-such') })
  })

  it('a person answers in any order, and a waiting person blocks nobody', async () => {
    await puppet('impatient')
    for (const content of ['one', 'two', 'three']) {
      await play(world, 'impatient', { verb: 'summon', target: '@operator', content })
    }
    const open = (await inbox(world, 'operator')).filter(({ from }) => from === '@impatient')
    expect(open.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
    for (const i of [1, 2, 0]) {
      await reply(world, {
        correlation: open[i]!.correlation,
        content: `re: ${open[i]!.content}`,
        as: 'operator',
        waitSeconds: 10,
      })
    }
    const replies = (await wakesOf(world, 'impatient')).filter(({ inReplyTo }) => inReplyTo !== null)
    expect(replies.map(({ content }) => content)).toEqual(['re: two', 're: three', 're: one'])
  })

  it('the operator may not act as another person', async () => {
    await world.birth({ name: 'guest', cognition: 'human' })
    await tell(world, 'guest', 'are you there?')
    expect((await wakesOf(world, 'guest')).map(({ content, closedBy }) => [content, closedBy])).toEqual([
      ['are you there?', null],
    ])
    const call = { verb: 'summon', target: '@echo', content: 'x', inReplyTo: null } as const
    await expect(act(world, 'guest', call)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(inbox(world, 'guest')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await moments(world.db, 'guest')).toEqual([])
  })

  it('the same role runs unchanged under all three cognitions', async () => {
    await setRole(world, {
      name: 'clerk',
      canSee: ['/library'],
      canSummon: [{ rel: 'asker' }],
      prompt: 'Answer.',
    })
    await puppet('asker')
    await world.birth({ name: 'clerk-script', cognition: 'scripted', script: 'echo', role: 'clerk' })
    await thinker('clerk-llm', { role: 'clerk' })
    await setFlow(world, 'operator', [{ when: { 'caller.role': 'stage:free' }, role: 'clerk' }])
    for (const target of ['clerk-script', 'clerk-llm', 'operator']) {
      await play(world, 'asker', { verb: 'summon', target: `@${target}`, content: 'please' })
    }
    const [entry] = (await inbox(world, 'operator')).filter(({ from }) => from === '@asker')
    await reply(world, { correlation: entry!.correlation, content: 'done', as: 'operator', waitSeconds: 10 })
    await setFlow(world, 'operator', [])

    const worn = []
    for (const being of ['clerk-script', 'clerk-llm', 'operator']) {
      const outcome = await until(async () =>
        (await listOutcomes(world.db, being)).find(({ primary }) => primary === 'clerk'),
      )
      const { stackDigest, surfaceDigest, by } = outcome.record
      worn.push({ kind: outcome.kind, stackDigest, surfaceDigest, by })
    }
    expect(worn[0]).toMatchObject({ kind: 'act', by: ['canSummon: @asker', 'summon @asker: anyone'] })
    expect(worn).toEqual([worn[0], worn[0], worn[0]])
  })
})

describe('speech', () => {
  it('a summon with only content answers the waker, in its chain; the answer has one moment and one act', async () => {
    await puppet('teller')
    await play(world, 'teller', { verb: 'summon', target: '@echo', content: 'carry this' })
    const [question] = await until(async () => {
      const found = (await wakesOf(world, 'echo')).filter(({ caller }) => caller?.name === 'teller')
      return found.length > 0 && found
    })
    const answer = await until(async () =>
      (await wakesOf(world, 'teller')).find(({ inReplyTo }) => inReplyTo === question!.id),
    )
    expect(answer).toMatchObject({ content: 'carry this', root: question!.root, caller: { name: 'echo' } })
    const chain = (await listChain(world.db, question!.root)).filter(({ kind }) => kind === 'summon')
    expect(chain.map(({ being, caller, content }) => [caller?.name, being, content])).toEqual([
      ['operator', 'teller', { call: { verb: 'summon', target: '@echo', content: 'carry this' } }],
      ['teller', 'echo', 'carry this'],
      ['echo', 'teller', 'carry this'],
    ])
    // What the echo was woken by names the fact on the sender's reel.
    const [said] = await factsOf(world, 'teller', 1)
    expect(question!.cause).toBe(said!.hash)
  })

  it('to say nothing closes the wake: no fact, no reply', async () => {
    await world.birth({ name: 'mute', cognition: 'scripted', script: 'silent' })
    const { moment, reply: said } = await summon(world, {
      target: 'mute',
      content: 'hello?',
      as: 'operator',
      waitSeconds: 10,
    })
    expect(moment).toMatchObject({ outcome: 'see', act: null, actHash: null })
    expect(said).toBeNull()
    expect(await factsOf(world, 'mute', 1)).toEqual([])
    expect((await wakesOf(world, 'mute')).map(({ closedBy }) => closedBy)).toEqual(['mute/1/1'])
  })
})

describe('afterwards', () => {
  it('every moment replays, and no chain is broken', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

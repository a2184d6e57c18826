import { conversation, explain, gather, inbox, moments, summon } from '@treeos/client'
import { isJsonObject, type Json, type JsonObject, LIMITS, PRIORITIES } from '@treeos/core'
import { countOpen, findEntry } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  factsOf,
  live,
  rowOf,
  setFlow,
  setRole,
  until,
  wakesOf,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
const LISTS = { canSee: ['/library', '~'], canDo: ['set-being'], canSummon: [{ rel: 'asker' }], prompt: '' }
beforeAll(async () => {
  await setRole(world, { name: 'worker', selfContinue: true, ...LISTS })
  await setRole(world, { name: 'single', ...LISTS })
  await setRole(world, { name: 'guide', prose: 'answers', ...LISTS })
})

const note = (value: Json): Reply => ({
  tool: { name: 'do', args: { operation: 'set-being', args: { field: 'note.last', value } } },
})
const say = (content: string): Reply => ({ tool: { name: 'summon', args: { content } } })
const tellOperator = (content: string): Reply => ({
  tool: { name: 'summon', args: { target: '@operator', content } },
})
const look = (address: string): Reply => ({ tool: { name: 'see', args: { address } } })

const scripts = new Map<string, Reply[]>()
/** A being whose model answers with these, in order, and then makes no tool call. */
async function thinker(name: string, replies: readonly Reply[], role = 'worker'): Promise<void> {
  await world.birth({ name, cognition: 'llm', role })
  scripts.set(name, [...replies])
  model.script((request) => scripts.get(beingOf(request))?.shift() ?? { content: 'done' })
}
const ask = (target: string, content: Json = 'Note it, then tell me.', more: object = {}) =>
  summon(world, { target, content, as: 'operator', waitSeconds: 30, requireReply: true, ...more })
/** What each wake of a being says. */
const told = async (being: string): Promise<JsonObject[]> =>
  (await wakesOf(world, being)).map(({ content }) => (isJsonObject(content) ? content : { said: content }))
/** All that the model of a being was told, request by request. */
const prompts = (being: string) =>
  askedFor(model, being).map(({ messages }) => messages.map(({ content }) => content).join('\n\n'))
const toolsOf = (being: string) =>
  askedFor(model, being).map(({ tools = [] }) => tools.map((tool) => tool.function.name))
const ends = async (being: string) =>
  (await moments(world.db, being)).map(({ outcome, reason }) => [outcome, reason ?? null])

describe('who asked', () => {
  it('gets the answer after a tool: asker, correlation, thread and priority are kept', async () => {
    await thinker('clerk', [note(1), say('It is noted.')])
    const { correlation, moment, reply } = await ask('clerk', 'Note it.', { priority: 'human' })
    expect(reply).toEqual({ from: '@clerk', content: 'It is noted.' })
    expect(moment).toMatchObject({ n: 2, outcome: 'act' })
    await until(async () => (await moments(world.db, 'clerk')).length === 3)
    const [asked, ...own] = await wakesOf(world, 'clerk')
    expect(own.map(({ id }) => id)).toEqual(['continue/clerk/1/1', 'continue/clerk/1/2'])
    for (const { caller, root, priority, hops } of own)
      expect({ caller, root, priority, hops }).toEqual({
        caller: asked!.caller,
        root: correlation,
        priority: PRIORITIES.human,
        hops: asked!.hops,
      })
    expect(own.map(({ answers }) => answers ?? null)).toEqual([correlation, null])
    const answer = (await wakesOf(world, 'operator')).find(({ inReplyTo }) => inReplyTo === correlation)
    expect(answer).toMatchObject({ content: 'It is noted.', root: correlation })
    expect(await findEntry(world.db, correlation)).toMatchObject({ closedBy: 'clerk/1/1' })
  })

  it('gets it after many tools and looks', async () => {
    await thinker('busy', [note(1), look('/library'), note(2), note(3), say('All noted.')])
    expect(await ask('busy')).toMatchObject({ reply: { content: 'All noted.' }, moment: { n: 5 } })
  })

  it('gets no answer where the role does not go on: the control', async () => {
    await thinker('curt', [note(1), say('never said')], 'single')
    await expect(ask('curt')).rejects.toMatchObject({
      code: 'NO_ANSWER',
      message: '@curt acted and sent no answer; what it says later comes to the inbox',
    })
  })

  it('waits to the end of a sequence without an answer, and hears of the last moment', async () => {
    await thinker('quiet', [note(1), note(2)])
    await expect(ask('quiet')).rejects.toMatchObject({
      code: 'NO_ANSWER',
      detail: { moment: 'quiet/1/3', outcome: 'see', content: 'done' },
    })
  })

  it('hears of a failure on the way, with the correlation of the question', async () => {
    await thinker('stumbler', [
      note(1),
      ...Array(3).fill({ tool: { name: 'do', args: { operation: 'fly' } } }),
    ])
    await world.birthPuppet('patron')
    const call = { verb: 'summon', target: '@stumbler', content: 'Go.' }
    const { n } = await live(world, 'patron', { call })
    const notice = await until(async () =>
      (await wakesOf(world, 'patron')).find(({ id }) => id.startsWith('notice/')),
    )
    expect(notice.content).toMatchObject({ event: 'failure', correlation: `patron/1/${n}` })
  })

  it('is answered once: a model that answers again ends its sequence, and nothing is sent', async () => {
    await thinker('parrot', [say('Yes.'), say('Yes.'), say('Yes.')])
    const { reply, moment } = await ask('parrot')
    expect({ reply, n: moment?.n }).toEqual({ reply: { from: '@parrot', content: 'Yes.' }, n: 1 })
    await until(async () => (await moments(world.db, 'parrot')).length === 2)
    expect(prompts('parrot')[0]).toContain('@operator may be waiting.')
    expect(prompts('parrot')[1]).not.toContain('@operator may be waiting.')
    expect(toolsOf('parrot')).toEqual([
      ['do', 'summon', 'see'],
      ['see', 'do'],
    ])
    await setRole(world, { name: 'open', selfContinue: true, canSummon: ['@operator'], prompt: '' })
    await thinker('repeater', [say('Yes.'), say('Yes.'), say('Yes.')], 'open')
    await ask('repeater')
    await until(async () => (await moments(world.db, 'repeater')).length === 2)
    expect(await ends('repeater')).toEqual([
      ['act', null],
      ['see', 'already-answered'],
    ])
    const said = (await wakesOf(world, 'operator')).filter(({ caller }) => caller?.name === 'repeater')
    expect(said).toHaveLength(1)
  })

  it('may hear more than the answer, from a being that names it', async () => {
    await thinker('chatty', [say('Yes.'), tellOperator('And one thing more.')], 'open')
    const { correlation } = await ask('chatty')
    const more = await until(async () =>
      (await wakesOf(world, 'operator')).find(({ content }) => content === 'And one thing more.'),
    )
    expect(more).toMatchObject({ inReplyTo: null, root: correlation, expectReply: false })
    expect(prompts('chatty')[1]).toContain(
      '@operator does not wait for more. To say more to @operator, call the summon tool with target @operator.',
    )
  })

  it('is seen by the flow to the end, and so is the role that was asked for', async () => {
    await thinker('double', [note(1), say('It is me.')], 'single')
    await setFlow(world, 'double', [
      { when: { 'caller.cognition': 'human', 'wake.kind': ['message', 'continue'] }, role: 'worker' },
    ])
    expect((await ask('double')).moment).toMatchObject({ n: 2, primary: 'worker' })
    await until(async () => (await moments(world.db, 'double')).length === 3)
    scripts.set('double', [note(1), say('As you wish.')])
    await setFlow(world, 'double', [{ when: { 'world.never.so': true }, role: 'worker' }, { role: 'single' }])
    expect((await ask('double', 'Go on.', { role: 'worker' })).moment).toMatchObject({ primary: 'worker' })
  })

  it('is answered for gather as well', async () => {
    await thinker('left', [note(1), say('aye')])
    await thinker('right', [note(1)])
    expect(
      await gather(world, { targets: ['left', 'right'], content: '?', as: 'operator', waitSeconds: 30 }),
    ).toMatchObject({
      replies: [{ from: '@left', content: 'aye' }],
      silent: [{ from: '@right', outcome: 'see', reason: null }],
    })
  })

  it('is nobody in a sequence that a change began', async () => {
    await thinker('sentry', [note(1)])
    await setFlow(world, 'sentry', [
      { stack: true, when: { 'world.bell.rung': true }, role: 'stage:mode-1' },
      { role: 'worker' },
    ])
    await doAs(world, 'set-world-signal', '/', { namespace: 'bell', key: 'rung', value: true })
    await until(async () => (await moments(world.db, 'sentry')).length === 2)
    expect((await wakesOf(world, 'sentry')).map(({ caller }) => caller)).toEqual([null, null])
    expect(prompts('sentry')[1]).toContain('from: nobody')
  })
})

describe('a role that goes on until it has answered', () => {
  const hands = { name: 'hands', prose: 'answers', selfContinue: 'until-answered', ...LISTS }
  it('uses tools, then answers, by a tool or in prose, and does nothing after that', async () => {
    await setRole(world, hands)
    await thinker('teller', [note(1), note(2), say('Noted.'), note(3)], 'hands')
    expect(await ask('teller')).toMatchObject({ reply: { content: 'Noted.' }, moment: { n: 3 } })
    await thinker('writer', [note(1), { content: 'It is noted.' }, note(2)], 'hands')
    expect(await ask('writer')).toMatchObject({ reply: { content: 'It is noted.' }, moment: { n: 2 } })
    expect(prompts('writer')[1]).toMatch(/It gave: [^\n]*\.\n\nAnswer in plain words\.$/)
    for (const being of ['teller', 'writer'])
      await until(async () => (await countOpen(world.db, being)) === 0)
    expect([scripts.get('teller')?.length, scripts.get('writer')?.length]).toEqual([1, 1])
  })

  it('does one act where no being waits: of a change, and of words that want no answer', async () => {
    await thinker('bell-ringer', [note(1), note(2), note(3)], 'hands')
    await setFlow(world, 'bell-ringer', [
      { stack: true, when: { 'world.bell.struck': true }, role: 'stage:mode-1' },
      { role: 'hands' },
    ])
    await doAs(world, 'set-world-signal', '/', { namespace: 'bell', key: 'struck', value: true })
    await until(async () => (await moments(world.db, 'bell-ringer')).length === 1)
    await world.birthPuppet('crier')
    const call = { verb: 'summon', target: '@bell-ringer', content: 'It is noon.', expectReply: false }
    await live(world, 'crier', { call })
    await until(async () => (await countOpen(world.db, 'bell-ringer')) === 0)
    expect(await ends('bell-ringer')).toEqual([
      ['act', null],
      ['act', null],
    ])
  })

  it('waits for the answer of whom it asks, and goes on from that', async () => {
    await setRole(world, { ...hands, name: 'middle', canSummon: [{ rel: 'asker' }, '@operator', '@source'] })
    await thinker('source', [{ content: 'Blue.' }], 'guide')
    const putOn: Reply = { tool: { name: 'summon', args: { target: '@source', content: 'Which colour?' } } }
    await thinker('asked', [putOn, note('blue'), tellOperator('It is blue.')], 'middle')
    await live(world, 'asked', 'Which colour?')
    await until(async () => scripts.get('asked')?.length === 0 && (await countOpen(world.db, 'asked')) === 0)
    expect(await ends('asked')).toEqual(Array.from({ length: 3 }, () => ['act', null]))
    expect((await moments(world.db, 'asked')).map(({ primary }) => primary)).toEqual([
      'middle',
      'middle',
      'middle',
    ])
  })
})

describe('a mind sees', () => {
  it('what its last act did, in words, with the result, and how to stop', async () => {
    await thinker('scribe', [note('ink'), say('Done.')])
    await ask('scribe')
    await until(async () => (await moments(world.db, 'scribe')).length === 3)
    expect(prompts('scribe')[1]).toContain(
      '@operator asked: "Note it, then tell me."\n\nYou did set-being on @scribe (field note.last, value ink). ' +
        'It gave: merge true, path note; last, value ink.',
    )
    expect((await told('scribe'))[1]).toMatchObject({
      event: 'self-continue',
      begun: { from: '@operator', content: 'Note it, then tell me.' },
      did: 'did set-being on @scribe with {"field":"note.last","value":"ink"}',
      result: { value: 'ink' },
    })
    expect(prompts('scribe')[0]).not.toContain('make no tool call')
    expect(prompts('scribe')[1]).toContain('If nothing is left to do, make no tool call: that ends it.')
    const after = (await told('scribe'))[2]
    expect(after).toMatchObject({ did: 'said to @operator: "Done."' })
    for (const field of ['result', 'earlier']) expect(after).not.toHaveProperty(field)
  })

  it('that of two calls in one answer only the first was made, as do those who look at the moment', async () => {
    const two: Reply = {
      tools: [
        { name: 'do', args: { operation: 'set-being', args: { field: 'note.last', value: 'first' } } },
        { name: 'do', args: { operation: 'set-being', args: { field: 'note.last', value: 'second' } } },
      ],
    }
    const looks: Reply = {
      tools: [
        { name: 'see', args: { address: '~' } },
        { name: 'see', args: { address: '/library' } },
      ],
    }
    await thinker('eager', [two, looks, say('done')])
    await ask('eager')
    const said = 'You wrote 2 calls, and only the first was made: make one call at a time.'
    expect(prompts('eager').map((text) => text.includes(said))).toEqual([
      false,
      true,
      true,
      ...prompts('eager')
        .slice(3)
        .map(() => false),
    ])
    const [acted, looked, spoke] = await moments(world.db, 'eager')
    expect(acted?.did).toMatchObject({ operation: 'set-being', ignoredCalls: 1 })
    expect(looked?.did).toMatchObject({ verb: 'see', ignoredCalls: 1 })
    expect(spoke?.did).not.toHaveProperty('ignoredCalls')
    expect(await explain(world.db, 'eager', 1)).toMatchObject({ ignoredCalls: 1 })
    expect(await explain(world.db, 'eager', 3)).not.toHaveProperty('ignoredCalls')
    expect((await rowOf(world, 'eager')).qualities.note).toEqual({ last: 'first' })
  })

  it('what the steps before gave, as long as it has not answered', async () => {
    await thinker('steps', [note(1), look('/library'), note(2), say('Done.')])
    await ask('steps')
    expect((await told('steps'))[3]?.earlier).toMatchObject([
      { did: 'did set-being on @steps with {"field":"note.last","value":1}', result: { value: 1 } },
      { address: '/library', seen: { type: 'library' } },
    ])
  })

  it('the length of what is too long to repeat', async () => {
    await thinker('wordy', [note('x'.repeat(20_000))])
    await live(world, 'wordy', 'Write a lot.')
    await until(async () => (await moments(world.db, 'wordy')).length === 2)
    expect((await told('wordy'))[1]?.did).toMatch(/^did set-being on @wordy with 200\d\d characters$/)
    expect(JSON.stringify((await told('wordy'))[1]).length).toBeLessThan(1000)
  })

  it('why a look was refused, and goes on', async () => {
    await thinker('curious', [look('/court'), say('I may not look there.')], 'single')
    expect((await ask('curious')).reply?.content).toBe('I may not look there.')
    expect(await ends('curious')).toEqual([
      ['see', 'FORBIDDEN'],
      ['act', null],
    ])
    expect(prompts('curious')[1]).toContain('You looked at /court. It was refused:\n{"refused":')
    expect((await told('curious'))[1]).toMatchObject({
      event: 'look',
      address: '/court',
      refused: { code: 'FORBIDDEN', message: expect.stringContaining('canSee') },
    })
    expect((await told('curious'))[1]).not.toHaveProperty('seen')
    // Nobody is told of a failure, since there was none.
    const notices = (await inbox(world, 'operator')).filter(({ content }) =>
      JSON.stringify(content).includes('@curious'),
    )
    expect(notices).toEqual([])
  })

  it('no more refusals of the same look than may be equal', async () => {
    await thinker(
      'stubborn',
      Array.from({ length: 20 }, () => look('/court')),
      'single',
    )
    await expect(ask('stubborn')).rejects.toMatchObject({
      code: 'NO_ANSWER',
      detail: { reason: 'FORBIDDEN' },
    })
    expect(askedFor(model, 'stubborn')).toHaveLength(LIMITS.repeatsMax)
  })
})

describe('prose', () => {
  it('is the answer in a role that says so: a summon with its fact, to whoever waits', async () => {
    await thinker('guide', [{ content: 'This is the library.' }], 'guide')
    const { correlation, reply, moment } = await ask('guide')
    expect(reply).toEqual({ from: '@guide', content: 'This is the library.' })
    expect(moment).toMatchObject({ n: 1, outcome: 'act', did: { verb: 'summon', target: '@operator' } })
    expect(await factsOf(world, 'guide', 1)).toMatchObject([{ kind: 'being:summoned' }])
    expect((await wakesOf(world, 'operator')).at(-1)).toMatchObject({ inReplyTo: correlation })
    expect(prompts('guide')[0]).toContain('Text outside of a tool call is your answer to whoever waits')
  })

  it('ends a sequence: tools first, then words', async () => {
    await setRole(world, { name: 'porter', prose: 'answers', selfContinue: true, ...LISTS })
    await thinker('porter', [note(1), { content: 'It is noted.' }], 'porter')
    expect(await ask('porter')).toMatchObject({ reply: { content: 'It is noted.' }, moment: { n: 2 } })
    await until(async () => (await countOpen(world.db, 'porter')) === 0)
    expect(await ends('porter')).toEqual([
      ['act', null],
      ['act', null],
    ])
  })

  it('passes both gates: a role that may not speak to whoever asks says nothing', async () => {
    await setRole(world, { name: 'shy', prose: 'answers', canSummon: ['@librarian'], prompt: '' })
    await thinker('shy', [{ content: 'Psst.' }], 'shy')
    await expect(ask('shy')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await factsOf(world, 'shy', 1)).toEqual([])
  })

  it('is a note where nobody waits, beside a tool call, of a script, and by default', async () => {
    await world.birthPuppet('caller')
    await thinker('told', [{ content: 'I see.' }], 'guide')
    const call = { verb: 'summon', target: '@told', content: 'Dinner is ready.', expectReply: false }
    await live(world, 'caller', { call })
    await until(async () => (await moments(world.db, 'told')).length === 1)
    expect((await moments(world.db, 'told'))[0]).toMatchObject({ outcome: 'see', content: 'I see.' })
    await thinker('doer', [{ ...note(1), content: 'Noting.' } as Reply], 'guide')
    await expect(ask('doer')).rejects.toMatchObject({ code: 'NO_ANSWER', detail: { outcome: 'act' } })
    await thinker('mute', [{ content: 'Hm.' }], 'single')
    await expect(ask('mute')).rejects.toMatchObject({
      code: 'NO_ANSWER',
      message: expect.stringContaining('which reaches nobody in its role: "Hm."'),
      detail: { content: 'Hm.' },
    })
    const { woke } = (await moments(world.db, 'mute'))[0]!
    expect(await conversation(world.db, woke?.thread ?? '')).toMatchObject({
      unheard: [{ from: '@mute', words: 'Hm.' }],
      root: woke?.thread,
      lines: [
        { kind: 'words', from: '@operator', to: '@mute', moment: 'mute/1/1', tokens: expect.any(Number) },
      ],
      moments: 1,
      owed: [],
    })
    expect(await explain(world.db, 'mute', 1)).toMatchObject({ unheard: 'Hm.' })
    await world.birth({ name: 'scripted', cognition: 'scripted', script: 'stage:puppet', role: 'guide' })
    const said = { return: { kind: 'see', content: 'Hm.' } }
    await expect(ask('scripted', said)).rejects.toMatchObject({ code: 'NO_ANSWER' })
  })

  it('keeps its meaning with the version of the role that a moment wore', async () => {
    await setRole(world, { name: 'guide', ...LISTS })
    scripts.set('guide', [{ content: 'Again?' }])
    await expect(ask('guide')).rejects.toMatchObject({ code: 'NO_ANSWER' })
  })
})

describe('afterwards', () => {
  it('every moment replays, and nothing is broken', async () => {
    await expectReplays(world)
    await expectUnbroken(world)
  })
})

import { act, inbox, moments, reply, summon, thread } from '@treeos/client'
import { type JsonObject, LIMITS } from '@treeos/core'
import { type InboxEntry, listChain } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  doAs,
  factsOf,
  live,
  play,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { type Reply, wordsIn } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const GUESTS = ['ada', 'bo', 'cy']
/** Whom each of a ring asks. */
const NEXT: Record<string, string> = { ping: '@pong', pong: '@ada', ada: '@ping' }
const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  const canSummon = [...GUESTS.map((name) => `@${name}`), { rel: 'asker' }]
  await setRole(world, { name: 'herald', selfContinue: true, canSummon, prompt: 'Announce.' })
  await setRole(world, { name: 'guest', canSummon: [{ pattern: '*' }], prompt: 'Answer whoever speaks.' })
  for (const name of ['herald', 'crier']) await world.birth({ name, cognition: 'llm', role: 'herald' })
  for (const name of [...GUESTS, 'ping', 'pong']) await world.birth({ name, cognition: 'llm', role: 'guest' })
  // Only the bounds of the chain are to hold here, and not the standard budget of a minute.
  for (const name of ['herald', ...GUESTS, 'ping', 'pong']) await doAs(world, 'set-budget', `@${name}`, {})
  await world.birthPuppet('puppet')
})

const say = (args: JsonObject): Reply => ({ tool: { name: 'summon', args } })
/** Beings that always speak: a herald to the next guest, everybody else to whoever woke it. */
function alwaysSpeaking(heralds: string[], more: JsonObject = {}): void {
  let said = 0
  model.script((request) => {
    if (!heralds.includes(beingOf(request))) return undefined
    const guest = GUESTS[said++ % GUESTS.length]
    return say({ target: `@${guest}`, content: 'The heir is crowned.', ...more })
  })
}
/** What came of one summon, once all that it caused is over. What people are told of it may stay open. */
async function cameOf(correlation: string) {
  const isOpen = ({ being, closedBy }: InboxEntry) => being !== 'operator' && closedBy === null
  await until(async () => !(await listChain(world.db, correlation)).some(isOpen), { seconds: 100 })
  const { wakes, depth } = await thread(world.db, correlation)
  return { wakes, depth }
}

describe('an announcement to many', () => {
  it('"Proclaim it." to one herald stays small, even when every being always answers', async () => {
    alwaysSpeaking(['herald'])
    model.requests.length = 0
    const told = await tell(world, 'herald', 'Proclaim it.', { expectReply: false })
    const { wakes } = await cameOf(told)
    // 17 moments of the herald, which never falls silent, and one of a guest for each thing it said.
    expect(model.requests).toHaveLength(2 * (LIMITS.stepsDefault + 1))
    expect(wakes).toBeLessThanOrEqual(2 * (LIMITS.stepsDefault + 1) + 5)
    const heard = (await Promise.all(GUESTS.map((name) => moments(world.db, name)))).flat()
    expect(heard.map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array.from({ length: LIMITS.stepsDefault + 1 }, () => ['see', 'no-reply-expected']),
    )
    expect(heard[0]?.message).toMatch(/^@herald expects no answer to "[^"]+", so none was sent$/)
    expect((await wakesOf(world, 'herald')).filter(({ inReplyTo }) => inReplyTo !== null)).toEqual([])
    // A guest is told so before it decides.
    const [request] = askedFor(model, 'ada')
    expect(JSON.stringify(request!.tools)).toContain('No answer to what woke me is wanted')
  })

  it('is a storm when the herald asks for answers: the bounds on the chain end it', async () => {
    await doAs(world, 'set-budget', '@crier', { hops: 3 })
    alwaysSpeaking(['crier'], { expectReply: true })
    model.requests.length = 0
    await cameOf(await tell(world, 'crier', 'Proclaim it.'))
    expect(model.requests.length).toBeGreaterThan(3 * (LIMITS.stepsDefault + 1))
    model.reset()
  })
})

describe('the depth of a chain', () => {
  it('three minds that always ask the next one stop at 16, and each hears that no answer comes', async () => {
    model.script((request) => {
      if (/does not answer|ended as|Nobody knows/.test(wordsIn(request)))
        return say({ content: 'Nobody knows.' })
      return say({ target: NEXT[beingOf(request)]!, content: 'Well?' })
    })
    const told = await tell(world, 'ping', 'Begin.')
    const { depth, wakes } = await cameOf(told)
    expect(depth).toBe(LIMITS.hopsMax)
    expect(LIMITS.hopsMax).toBe(16)
    expect(wakes).toBeLessThan(2 * LIMITS.hopsMax + 5)
    expect((await wakesOf(world, 'operator')).find(({ inReplyTo }) => inReplyTo === told)).toMatchObject({
      content: 'Nobody knows.',
    })
    const ended = (await Promise.all(Object.keys(NEXT).map((name) => moments(world.db, name)))).flat()
    expect(ended).toContainEqual(
      expect.objectContaining({
        outcome: 'failure',
        reason: 'RATE_LIMITED',
        message: 'the chain of summons that led here is 16 deep; at most 16 may follow one another',
      }),
    )
    model.reset()
  })

  it('counts no answer to a question, so asking many one after the other goes no deeper: 64 for one answer', async () => {
    model.script((request) =>
      beingOf(request) === 'pong' ? say({ content: 'Again!' }) : say({ target: '@pong', content: 'Well?' }),
    )
    const told = await tell(world, 'ping', 'Ask.')
    await cameOf(told)
    const asked = (await listChain(world.db, told)).filter(
      ({ being, kind }) => being === 'pong' && kind === 'summon',
    )
    expect(new Set(asked.map(({ hops }) => hops))).toEqual(new Set([2]))
    expect(asked).toHaveLength(LIMITS.questionsInAllMax)
    expect((await moments(world.db, 'ping', 1))[0]).toMatchObject({
      outcome: 'failure',
      reason: 'RATE_LIMITED',
    })
    model.reset()
  })
})

describe('expectReply: false', () => {
  const announce = (target: string, content: JsonObject | string = 'Dinner is ready.') =>
    summon(world, { target, content, as: 'operator', expectReply: false, waitSeconds: 30 })

  it('a person says it too: the answer of a mind is not sent, and no fact is written', async () => {
    const { correlation, moment, reply } = await announce('ada')
    expect({ moment, reply }).toMatchObject({
      moment: { outcome: 'see', reason: 'no-reply-expected', act: null },
      reply: null,
    })
    expect(await factsOf(world, 'ada', moment!.n)).toEqual([])
    const answers = (await wakesOf(world, 'operator')).filter(({ inReplyTo }) => inReplyTo === correlation)
    expect(answers).toEqual([])
  })

  it('leaves a being free to speak to others, and to act', async () => {
    const onward = { call: { verb: 'summon', target: '@echo', content: 'Dinner!', inReplyTo: null } }
    expect((await announce('puppet', onward)).moment).toMatchObject({ outcome: 'act' })
    const set = { verb: 'do', operation: 'set-being', args: { field: 'mood.tone', value: 'hungry' } }
    expect((await announce('puppet', { call: set })).moment).toMatchObject({ outcome: 'act' })
  })

  it('an operation asked for in this way is done, and its answer is left out', async () => {
    const payload = JSON.stringify({ be: 'birth', name: 'nix', cognition: 'scripted', script: 'echo' })
    const { moment, reply } = await announce('birther', payload)
    expect({ outcome: moment?.outcome, reply }).toEqual({ outcome: 'act', reply: null })
    expect(await live(world, 'nix', 'there?')).toMatchObject({ outcome: 'act' })
  })

  it('its sender gets no notice when the moment fails; the operator does', async () => {
    model.script((request) => (beingOf(request) === 'bo' ? { tool: { name: 'dance', args: {} } } : undefined))
    const call = { verb: 'summon', target: '@bo', content: 'Hear me.', expectReply: false }
    const { act: said } = await play(world, 'puppet', call)
    const notice = await until(async () =>
      (await inbox(world, 'operator')).find(({ content }) => (content as JsonObject).correlation === said),
    )
    expect(notice.content).toMatchObject({
      code: 'LLM_FAILED',
      message: expect.stringContaining('"dance"'),
    })
    const told = (await wakesOf(world, 'puppet')).filter(({ id }) => id.startsWith('notice/'))
    expect(told).toEqual([])
    model.reset()
  })

  it('binds no person: a person that answers is heard', async () => {
    await play(world, 'puppet', { verb: 'summon', target: '@operator', content: 'FYI', expectReply: false })
    const entry = (await inbox(world, 'operator')).find(({ content }) => content === 'FYI')
    const { correlation } = await reply(world, {
      correlation: entry!.correlation,
      content: 'thanks',
      as: 'operator',
      waitSeconds: null,
    })
    expect((await wakesOf(world, 'puppet')).map(({ id }) => id)).toContain(correlation)
  })

  it('takes true or false', async () => {
    const call = { verb: 'summon', target: '@echo', content: 'x', expectReply: 'no' } as never
    await expect(act(world, 'operator', call)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

it('every moment replays, and no chain is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})

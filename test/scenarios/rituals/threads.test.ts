import { act, inbox, moments, reply, see, summon, thread, threads } from '@treeos/client'
import { type Json, type JsonObject, parseCall } from '@treeos/core'
import { answer, type Decision, defineExtension, silence, tell as tellOther } from '@treeos/sdk'
import { findEntry, readRows } from '@treeos/store'
import type { NotNull } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  expectRefused,
  groundOf,
  live,
  momentOf,
  play,
  publish,
  setFlow,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** Two beings, of which one asks the other without end. */
const echoing = defineExtension({
  name: 'echoing',
  version: '1.0.0',
  scripts: {
    'echoing:on': ({ wake }) => {
      if (wake.content === 'begin') return tellOther('@fen', 0)
      if (typeof wake.content !== 'number') return silence
      return wake.kind === 'answer' ? tellOther('@fen', wake.content + 1) : answer(wake.content + 1)
    },
    /** Speaks when a change wakes it; else does what its wake says. */
    'echoing:eavesdropper': ({ wake }) => {
      const { event, call } = wake.content as JsonObject
      const speaks = { verb: 'summon', target: '@between', content: 'I heard it', inReplyTo: null }
      if (event !== 'changed' && call === undefined) return silence
      return { kind: 'call', call: event === 'changed' ? speaks : call, content: null } as unknown as Decision
    },
  },
})

const model = useModelServer()
const world = useWorld({ extensions: [stage, echoing], modelServer: model })
beforeAll(async () => {
  for (const name of ['bea', 'fen'])
    await world.birth({ name, cognition: 'scripted', script: 'echoing:on', role: 'stage:free' })
  for (const name of ['between', 'stranger']) await world.birthPuppet(name)
  await world.birth({ name: 'mind', cognition: 'llm', role: 'stage:free' })
  await world.birth({ name: 'person', cognition: 'human', role: 'stage:free' })
})

const cut = (id: string, as = 'operator') =>
  act(world, as, { verb: 'do', operation: 'cut-thread', target: `thread:${id}`, args: {} })
/** The next call of the model is answered when it is released, by saying something to @stranger. */
function slowly() {
  const gate = Promise.withResolvers<void>()
  const call = Promise.withResolvers<void>()
  model.script(async () => {
    call.resolve()
    await gate.promise
    return {
      tool: { name: 'summon', args: { target: '@stranger', content: 'too late', expectReply: false } },
    }
  })
  return { asked: call.promise, release: gate.resolve }
}
const acts = async (id: string) => (await thread(world.db, id)).acts
/** The summon that woke a being in a thread. */
const heard = (being: string, id: string) =>
  until(async () => (await wakesOf(world, being)).find(({ root, kind }) => root === id && kind === 'summon'))
const over = (id: string) =>
  until(async () => (await thread(world.db, id)).open === 0, { what: `the end of ${id}` })

describe('a thread', () => {
  it('is listed while something of it is open, and shown by its id with all who have part in it', async () => {
    const id = await tell(world, 'between', { call: { verb: 'summon', target: '@person', content: 'well?' } })
    await heard('person', id)
    const view = await thread(world.db, id)
    expect(view).toMatchObject({
      thread: id,
      state: 'live',
      participants: ['@between', '@operator', '@person'],
      wakes: 3, // the operator's act, the summon of @between, and the summon of @person
      open: 1,
      acts: 2,
      depth: 2,
    })
    expect(await threads(world.db, { all: false, last: 10 })).toEqual([view])
    expect(await see(world, 'operator', `thread:${id}`)).toMatchObject({
      type: 'thread',
      beings: ['@between', '@operator', '@person'],
      qualities: { thread: id, state: 'live', open: 1 },
    })
    expect(JSON.stringify(await see(world, 'operator', `thread:${id}`))).not.toContain('well?')
    await cut(id)
  })

  it('is complete once nothing of it is open, and no longer listed', async () => {
    const id = await tell(world, 'between', 'nothing')
    await over(id)
    expect(await thread(world.db, id)).toMatchObject({ state: 'complete', open: 0 })
    expect((await threads(world.db, { all: false, last: 10 })).map((view) => view.thread)).not.toContain(id)
    expect((await threads(world.db, { all: true, last: 10 })).map((view) => view.thread)).toContain(id)
  })

  it('that never began is CORRELATION_NOT_FOUND, and a malformed id is ADDRESS_PARSE_ERROR', async () => {
    await expect(thread(world.db, 'nowhere')).rejects.toMatchObject({ code: 'CORRELATION_NOT_FOUND' })
    await expect(cut('nowhere')).rejects.toMatchObject({ code: 'CORRELATION_NOT_FOUND' })
    await expect(see(world, 'operator', 'thread:no where')).rejects.toMatchObject({
      code: 'ADDRESS_PARSE_ERROR',
    })
  })
})

describe('a being that a change woke', () => {
  it('gets no part in the thread of the change by what it says: it does not see, continue or cut it', async () => {
    await world.birth({
      name: 'eve',
      cognition: 'scripted',
      script: 'echoing:eavesdropper',
      role: 'stage:free',
      roleFlow: [{ stack: true, when: { 'world.gong.rung': true }, role: 'stage:mode-1' }],
    })
    const id = await tell(world, 'between', { call: { verb: 'summon', target: '@person', content: 'hm?' } })
    await heard('person', id)
    const rings = { verb: 'do', operation: 'set-world-signal', target: '/' }
    const ring = { call: { ...rings, args: { namespace: 'gong', key: 'rung', value: true } } }
    await summon(world, { target: 'between', content: ring, as: 'operator', thread: id, waitSeconds: 20 })
    const said = await until(async () =>
      (await wakesOf(world, 'between')).find(({ caller }) => caller?.name === 'eve'),
    )
    expect(said).toMatchObject({ root: id, content: 'I heard it' }) // a cut of the thread ends this too
    expect((await thread(world.db, id)).participants).toEqual(['@between', '@operator', '@person'])
    const look: JsonObject = { verb: 'see', address: `thread:${id}` }
    const calls: JsonObject[] = [
      look,
      { verb: 'do', operation: 'cut-thread', target: `thread:${id}`, args: {} },
      { verb: 'summon', target: '@person', content: 'psst', thread: id },
    ]
    for (const call of calls)
      expect(await play(world, 'eve', call)).toMatchObject({
        reason: 'FORBIDDEN',
        message: expect.stringContaining(`@eve has no part in thread ${id}`),
      })
    // The control: one to whom a participant speaks in it has a part.
    await summon(world, { target: 'eve', content: {}, as: 'operator', thread: id, waitSeconds: 20 })
    expect(await play(world, 'eve', look)).toMatchObject({ outcome: 'see' })
    await cut(id)
  })
})

describe('a summon that names a thread', () => {
  const speak = (thread: string, content: Json = 'and one more', as = 'operator') =>
    act(
      { ...world, person: as },
      as,
      parseCall({ verb: 'summon', target: '@between', content: content, thread }),
    )
  /** A thread of @operator, @between and @person. */
  async function begun(): Promise<string> {
    const id = await tell(world, 'between', { call: { verb: 'summon', target: '@person', content: 'hm?' } })
    await heard('person', id)
    return id
  }
  /** The payload of the fact of what the operator last said. */
  async function lastSaid(): Promise<Json> {
    const { bytes } = await world.db
      .selectFrom('fact')
      .select('bytes')
      .where('reel', '=', 'being:operator')
      .where('kind', '=', 'being:summoned')
      .where('bytes', 'is not', null)
      .$narrowType<{ bytes: NotNull }>()
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return JSON.parse(bytes.toString('utf8')) as Json
  }
  const spoken = (root: string, content: string) =>
    until(async () => (await wakesOf(world, 'between')).find((w) => w.root === root && w.content === content))

  it('continues it: the wake, the moment and the answer belong to it, and the fact says so', async () => {
    const id = await begun()
    const before = await thread(world.db, id)
    const { correlation, reply } = await summon(world, {
      target: 'echo',
      content: 'once more',
      as: 'operator',
      thread: id,
      waitSeconds: 20,
    })
    expect(reply).toEqual({ from: '@echo', content: 'once more' })
    expect(await findEntry(world.db, correlation)).toMatchObject({ root: id, hops: 1 })
    expect((await wakesOf(world, 'operator')).at(-1)).toMatchObject({ inReplyTo: correlation, root: id })
    const after = await thread(world.db, id)
    expect(after).toMatchObject({ wakes: before.wakes + 2, acts: before.acts + 1 })
    expect(after.participants).toEqual(['@between', '@echo', '@operator', '@person'])
    expect(await lastSaid()).toMatchObject({ correlation, root: id, thread: id })
    await cut(id)
  })

  it('is cut with it: nothing of it opens a moment, and more of it is refused', async () => {
    const { asked, release } = slowly()
    const busy = await tell(world, 'mind', 'think of nothing else')
    await asked
    const id = await begun()
    const { correlation } = await summon(world, {
      target: 'mind',
      content: 'then of this',
      as: 'operator',
      thread: id,
      waitSeconds: null,
    })
    await cut(id)
    release()
    await momentOf(world, busy)
    expect(await momentOf(world, correlation)).toMatchObject({ outcome: 'skipped', reason: 'thread-cut' })
    await expectRefused(world, () => speak(id), 'RESOURCE_CONFLICT', `thread ${id} was cut`)
    model.reset()
  })

  it('is for those who have a part in it, and the first operator', async () => {
    const id = await tell(world, 'stranger', 'nothing')
    await over(id)
    const mine = await begun()
    await expectRefused(world, () => speak('nowhere'), 'CORRELATION_NOT_FOUND', 'no thread "nowhere" began')
    await expectRefused(world, () => speak(id, 'hm', 'person'), 'FORBIDDEN', `no part in thread ${id}`)
    await speak(mine, 'from a participant', 'person')
    expect((await spoken(mine, 'from a participant')).caller?.name).toBe('person')
    await speak(id, 'from the operator')
    expect((await spoken(id, 'from the operator')).caller?.name).toBe('operator')
    await cut(mine)
  })

  it('does not lead out of the thread that an answer belongs to', async () => {
    const id = await begun()
    const other = await begun()
    const answering = { verb: 'summon', target: '@operator', content: 'so', thread: other }
    const told = await tell(world, 'between', { call: answering })
    expect(await momentOf(world, told)).toMatchObject({
      outcome: 'failure',
      reason: 'INVALID_INPUT',
      message: expect.stringContaining('an answer stays in the thread of what it answers'),
    })
    await cut(id)
    await cut(other)
  })

  it('a channel is recorded in the fact, and changes nothing else', async () => {
    const request = { target: 'echo', content: 'hi', as: 'operator', channel: 'lobby', waitSeconds: 20 }
    const { correlation, reply } = await summon(world, request)
    expect(reply).toEqual({ from: '@echo', content: 'hi' })
    expect(await findEntry(world.db, correlation)).toMatchObject({ root: correlation })
    const said = await lastSaid()
    expect(said).toMatchObject({ correlation, channel: 'lobby' })
    expect(said).not.toHaveProperty('thread')
  })
})

describe('a cut', () => {
  it('ends a thread that would go on by itself: one fact, and no further act of it', async () => {
    const id = await tell(world, 'bea', 'begin')
    await until(async () => (await acts(id)) >= 6)
    const done = await cut(id)
    expect(done.facts).toMatchObject([{ reel: `thread:${id}`, seq: 1, kind: 'thread:cut' }])
    await over(id)
    const stood = await acts(id)
    expect(await thread(world.db, id)).toMatchObject({ state: 'severed', open: 0 })
    // Either the decision was dropped, or the wake that came of it opened no moment.
    const last = (await Promise.all(['bea', 'fen'].map((name) => moments(world.db, name, 1)))).flat()
    expect(last.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/^(thread-cut|RESOURCE_CONFLICT)$/),
    )
    // Woken by something else, both live on, and the thread stays as it was.
    for (const name of ['bea', 'fen']) expect(await live(world, name, 'hm')).toMatchObject({ outcome: 'see' })
    expect(await acts(id)).toBe(stood)
    expect(model.requests).toEqual([])
  })

  it('drops the decision that a model was making, and asks it nothing more: no act, and no fact', async () => {
    const { asked, release } = slowly()
    const id = await tell(world, 'mind', 'think hard')
    await asked
    const next = await tell(world, 'mind', 'and then of this')
    await until(async () => (await thread(world.db, next)).wakes > 1)
    expect(await thread(world.db, next)).toMatchObject({ state: 'live', open: 1 })
    await cut(id)
    await cut(next)
    const before = await groundOf(world)
    release()
    expect(await momentOf(world, id)).toMatchObject({
      outcome: 'failure',
      reason: 'RESOURCE_CONFLICT',
      message: `its thread, ${id}, was cut by @operator`,
    })
    expect(await momentOf(world, next)).toMatchObject({
      outcome: 'skipped',
      reason: 'thread-cut',
      primary: null,
    })
    expect(model.requests).toHaveLength(1)
    expect(await groundOf(world)).toEqual(before)
    expect((await wakesOf(world, 'stranger')).filter(({ root }) => root === id)).toEqual([])
    model.reset()
  })

  it('keeps the changes it made to the world: a being that wakes by one gets it, and goes on in a thread of its own', async () => {
    await setFlow(world, 'mind', [{ stack: true, when: { 'world.bell.rung': true }, role: 'stage:mode-1' }])
    const { asked, release } = slowly()
    const busy = await tell(world, 'mind', 'think long')
    await asked
    await publish(world, 'bell.rung', true)
    const change = await until(async () =>
      (await wakesOf(world, 'mind')).find(({ kind }) => kind === 'event'),
    )
    const { root: id } = change
    await cut(id)
    release()
    await momentOf(world, busy)
    expect(await momentOf(world, change.id)).toMatchObject({ outcome: 'act', stacked: ['stage:mode-1'] })
    const said = (await wakesOf(world, 'stranger')).find(({ root }) => root === change.id)
    expect(said).toMatchObject({ content: 'too late', caller: { name: 'mind' } })
    model.reset()
  })

  it('lets a being that a change woke before the cut say what it decides', async () => {
    const { asked, release } = slowly()
    await publish(world, 'bell.rung', 2)
    await asked
    const change = (await wakesOf(world, 'mind')).filter(({ kind }) => kind === 'event').at(-1)!
    expect((await thread(world.db, change.root)).participants).toEqual(['@operator'])
    await cut(change.root)
    release()
    const { n } = await momentOf(world, change.id)
    const spoken = await until(async () =>
      (await wakesOf(world, 'stranger')).find(({ id }) => id === `mind/1/${n}`),
    )
    expect(spoken.root).toBe(change.id)
    expect(await momentOf(world, spoken.id)).toMatchObject({ outcome: 'see' })
    model.reset()
  })

  it('takes its open summons out of the inboxes of people, and an answer then comes too late', async () => {
    const id = await tell(world, 'between', {
      call: { verb: 'summon', target: '@operator', content: 'and?' },
    })
    const { id: correlation } = await heard('operator', id)
    const waiting = async () => (await inbox(world, 'operator')).map((entry) => entry.correlation)
    expect(await waiting()).toContain(correlation)
    await cut(id)
    expect(await waiting()).not.toContain(correlation)
    await expect(
      reply(world, { correlation, content: 'yes', as: 'operator', waitSeconds: null }),
    ).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT', message: `its thread, ${id}, was cut by @operator` })
  })

  it('is for those who have part in it, and the operator, once', async () => {
    const id = await tell(world, 'between', { call: { verb: 'summon', target: '@person', content: 'so?' } })
    await heard('person', id)
    const call: JsonObject = { verb: 'do', operation: 'cut-thread', target: `thread:${id}`, args: {} }
    expect(await play(world, 'stranger', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await play(world, 'stranger', { verb: 'see', address: `thread:${id}` })).toMatchObject({
      outcome: 'see',
      reason: 'FORBIDDEN',
    })
    expect(await play(world, 'between', { verb: 'see', address: `thread:${id}` })).toMatchObject({
      outcome: 'see',
    })
    expect(await play(world, 'between', { ...call, args: { force: true } })).toMatchObject({
      reason: 'INVALID_INPUT',
    })
    expect(await play(world, 'between', { ...call, target: '/' })).toMatchObject({ reason: 'INVALID_TYPE' })
    expect(await play(world, 'between', call)).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'between', call)).toMatchObject({
      outcome: 'failure',
      reason: 'RESOURCE_CONFLICT',
    })
    const [row] = await readRows(world.db, world.reality.id, [`thread:${id}`])
    expect(row?.state).toMatchObject({ thread: id, cutBy: 'between' })
  })

  it('replays, and breaks no chain', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})

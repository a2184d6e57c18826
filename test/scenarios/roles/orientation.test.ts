import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, erasing, moments, roles, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import court, { retiring } from '@treeos/court'
import { exportBundle } from '@treeos/proofs'
import { findOpen, findOutcomeOfWake, listFactsOfMoment, type OpenRecord } from '@treeos/store'
import { type Face, rolesNamed } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifyBytes } from '../../proofs/bundle-lines.ts'
import { SecondVerifier, whyNoPython } from '../../proofs/second-opinion.ts'
import {
  askedFor,
  beingOf,
  createSpace,
  doAs,
  live,
  momentOf,
  play,
  publish,
  readFace,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import type { Reply } from '../../support/model-server.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { noting, tellFromOutside, vouchFor } from '../../support/outside-words.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage, court], modelServer: model })
beforeAll(async () => {
  for (const place of ['/hall', '/yard']) await createSpace(world, place)
  for (const name of ['self', 'other']) await world.birthPuppet(name, { home: '/hall' })
  for (const place of ['/hall', '/yard'])
    await doAs(world, 'set-space', place, {
      field: 'permissions.do',
      value: { 'set-space': { requires: ['anyone'] } },
    })
})

const turn = (target: string, more: JsonObject = {}) =>
  play(world, 'self', { verb: 'summon', target, content: 'think of it', ...more })
const note = (place: string, value: string) =>
  play(world, 'self', { verb: 'do', operation: 'set-space', target: place, args: { field: 'a.note', value } })

interface Opened {
  readonly record: OpenRecord
  readonly face: Face
  readonly past: { readonly acts: readonly JsonObject[]; readonly cut?: readonly string[] } | null
}

/** How the moment opened that a wake began. */
async function opened(wake: string): Promise<Opened> {
  const { act } = await momentOf(world, wake)
  const outcome = await findOutcomeOfWake(world.db, wake)
  const open = await findOpen(world.db, outcome?.moment ?? act ?? '')
  const face = await readFace(world, open?.record.face)
  if (open === null || face === null) throw new Error(`the moment of ${wake} shows nothing`)
  const past = face.views.find(({ name }) => name === 'past')?.view ?? null
  return { record: open.record, face, past: past as unknown as Opened['past'] }
}

/** Turns a puppet to itself. */
async function turned(orientation: string | null, who = 'self'): Promise<Opened> {
  const call = {
    verb: 'summon',
    target: `@${who}`,
    content: 'hm',
    ...(orientation === null ? {} : { orientation }),
  }
  return opened((await play(world, who, call)).act ?? '')
}

// The cache would still hold what was erased.
const textOf = ({ past }: Opened) => JSON.stringify(past?.acts ?? [])

describe('orientation', () => {
  it.each([null, 'forward'])('a summon to itself that says %j shows no past act', async (orientation) => {
    const { record, past, face } = await turned(orientation)
    expect(record.wake.orientation).toBe(orientation ?? undefined)
    expect(record).not.toHaveProperty('orientation')
    expect(face).not.toHaveProperty('orientation')
    expect(past).toBeNull()
  })

  it('half: the world, and own acts that a cause links to it, with what they caused', async () => {
    await note('/hall', 'in the hall')
    await note('/yard', 'in the yard')
    const asked = await play(world, 'self', {
      verb: 'summon',
      target: '@other',
      content: { call: { verb: 'summon', content: 'so it is' } },
    })
    await until(async () => (await wakesOf(world, 'self')).some(({ inReplyTo }) => inReplyTo === asked.act))
    const seen = await turned('half')
    expect(seen.record).toMatchObject({ orientation: 'half', wake: { orientation: 'half' } })
    expect(seen.face).toMatchObject({
      orientation: 'half',
      space: { path: '/hall' },
      occupants: expect.arrayContaining(['other']),
    })
    expect(textOf(seen)).toContain('in the hall')
    expect(textOf(seen)).not.toContain('in the yard')
    expect(seen.past?.acts[0]).toMatchObject({
      did: [{ did: 'spoke', to: '@other' }],
      caused: [{ by: '@other', did: 'spoke', to: '@self', said: 'so it is' }],
    })
  })

  it('inward: own acts alone', async () => {
    const seen = await turned('inward')
    expect(seen.record).toMatchObject({ orientation: 'inward' })
    expect(seen.face).toMatchObject({ occupants: [], spaces: [], space: { path: '' } })
    expect(seen.face.views.map(({ name }) => name)).toEqual(['past'])
    for (const said of ['in the hall', 'in the yard', 'spoke']) expect(textOf(seen)).toContain(said)
    expect(textOf(seen)).not.toContain('caused')
  })

  it.each(['half', 'inward'])('nobody summons another %s', async (orientation) => {
    const before = (await wakesOf(world, 'other')).length
    expect(await turn('@other', { orientation })).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: expect.stringContaining(`orientation ${orientation}`),
    })
    const call = { verb: 'summon', target: '@other', content: 'x', inReplyTo: null, orientation } as never
    await expect(act(world, 'operator', call)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await wakesOf(world, 'other')).length).toBe(before)
  })

  it('an unknown orientation is refused', async () => {
    expect(await turn('@self', { orientation: 'sideways' })).toMatchObject({
      outcome: 'failure',
      message: expect.stringMatching(/"sideways".*forward, half, inward/),
    })
  })

  it('a role’s defaultOrientation holds for every wake that names none, and for no person', async () => {
    await setRole(world, {
      name: 'thoughtful',
      canSummon: [{ pattern: '*' }],
      defaultOrientation: 'inward',
      prompt: '',
    })
    await world.birth({ name: 'deep', cognition: 'scripted', script: 'stage:puppet', role: 'thoughtful' })
    expect((await opened(await tell(world, 'deep', 'who were you?'))).record).toMatchObject({
      orientation: 'inward',
    })
    expect((await turned(null, 'deep')).record).toMatchObject({ orientation: 'inward' })
    expect((await turned('forward', 'deep')).record).not.toHaveProperty('orientation')
    expect((await turned('half', 'deep')).record).toMatchObject({ orientation: 'half' })
    await act(world, 'operator', {
      verb: 'summon',
      target: '@operator',
      content: 'hm',
      inReplyTo: null,
      orientation: 'half',
    })
    const [asked] = (await wakesOf(world, 'operator')).filter((wake) => wake.orientation === 'half')
    const own = await findOutcomeOfWake(world.db, `act/${asked?.id}`)
    expect((await findOpen(world.db, own?.moment ?? ''))?.record).not.toHaveProperty('orientation')
  })

  it('a model that looks inward is told so, and goes on by its role', async () => {
    await setRole(world, {
      name: 'brooding',
      canSummon: [{ rel: 'asker' }, { rel: 'parent' }],
      selfContinue: true,
      defaultOrientation: 'inward',
      prompt: '',
    })
    await world.birth({ name: 'brooder', cognition: 'llm', role: 'brooding' })
    let asked = 0
    model.script((request) =>
      beingOf(request) === 'brooder' && asked++ > 0 ? { content: 'enough' } : undefined,
    )
    expect(await live(world, 'brooder', 'well?')).toMatchObject({ outcome: 'act' })
    await until(async () => (await moments(world.db, 'brooder'))[1])
    const prompts = model.requests.flatMap(({ body }) =>
      body !== null && beingOf(body) === 'brooder' ? [String(body.messages[0]?.content)] : [],
    )
    expect(prompts[0]).toMatch(
      /^I am brooder, brooding\. I look inward now, at what I did, and at nothing of the world\./,
    )
    expect(prompts[0]).toContain('[past]')
    expect(prompts[0]).not.toMatch(/\[(place|occupants|things|conversation|me)\]/)
    expect(prompts[1]).toContain('"did": "spoke"')
    model.reset()
  })

  it('a model that turns inward before it answers still owes the answer, also after a refusal', async () => {
    const self = { rel: 'self' }
    await setRole(world, { name: 'slow', canSummon: [{ rel: 'asker' }, self], prompt: '' })
    const ask = async (name: string, replies: readonly Reply[]) => {
      await world.birth({ name, cognition: 'llm', role: 'slow' })
      const queue = [...replies]
      model.script((request) => (beingOf(request) === name ? queue.shift() : undefined))
      const content = 'Who are you?'
      return summon(world, { target: name, content, as: 'operator', waitSeconds: 30, requireReply: true })
    }
    const calling = (args: object): Reply => ({ tool: { name: 'summon', args } })
    const inward = calling({ target: '@musing', content: 'Who was I?', orientation: 'inward' })
    const astray = { tool: { name: 'do', args: { operation: 'set-being', args: {} } } }
    const { reply, correlation } = await ask('musing', [inward, astray, calling({ content: 'A clerk.' })])
    expect(reply?.content).toBe('A clerk.')
    expect(await moments(world.db, 'musing')).toMatchObject([
      { n: 1, outcome: 'act' },
      { n: 2, outcome: 'failure', orientation: 'inward', wentOn: 3 },
      { n: 3, outcome: 'act', orientation: 'inward' },
    ])
    for (const n of [2, 3])
      expect((await findOpen(world.db, `musing/1/${n}`))?.record).toMatchObject({
        answers: correlation,
        caller: { name: 'operator' },
      })
    const [, turned, again] = askedFor(model, 'musing').map(({ messages }) => messages)
    expect(turned?.[0]?.content).toContain('from: yourself\nasker: @operator\n')
    expect(turned?.[1]?.content).toMatch(/^Who was I\?\n\n@operator may be waiting\./)
    expect(again?.[1]?.content).toMatch(/^Who was I\?\n\n@operator may be waiting\.[\s\S]*\[refused\]/)

    const away = calling({ target: '@lost', content: 'Hm.', orientation: 'half' })
    await expect(ask('lost', [away, astray, astray, astray])).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const told = (await wakesOf(world, 'operator')).filter(({ id }) => id.startsWith('notice/lost/'))
    expect(told.map(({ content }) => content)).toMatchObject([{ event: 'failure' }])
    model.reset()
  })

  it('a judge after its sitting looks inward, and a ruler half', async () => {
    await createSpace(world, '/court')
    await world.birth({
      name: 'judge',
      cognition: 'llm',
      role: 'court:watcher',
      home: '/court',
      roleFlow: retiring as never,
    })
    await world.birth({ name: 'queen', cognition: 'llm', role: 'court:ruler', home: '/court' })
    await publish(world, 'court.in-session', true)
    await live(world, 'judge', 'who is right?')
    await publish(world, 'court.in-session', false)
    const after = await opened(await tell(world, 'judge', 'what did you rule?'))
    expect(after.record).toMatchObject({ orientation: 'inward' })
    expect(textOf(after)).toContain('who is right?')
    await live(world, 'queen', 'hail')
    const weighing = await opened(await tell(world, 'queen', 'who follows you?'))
    expect(weighing.record).toMatchObject({ orientation: 'half' })
    expect(weighing.face).toMatchObject({ space: { path: '/court' } })
    expect(textOf(weighing)).toContain('ok: hail')
  })

  it('a past act with words from outside marks the moment that recalls it', async () => {
    await tellFromOutside(world, 'self', noting('/hall', 'do what I say'))
    await vouchFor(world, '/hall')
    expect((await turned(null)).record).not.toHaveProperty('outside')
    const seen = await turned('inward')
    expect(seen.record).toMatchObject({ outside: true })
    expect(seen.face.views[0]).toMatchObject({ outside: true })
  })

  it('what was erased does not come back, and the moment that showed it still replays', async () => {
    const spoken = await play(world, 'self', { verb: 'summon', target: '@other', content: 'the secret word' })
    const seen = await turned('half')
    expect(textOf(seen)).toContain('the secret word')
    const [fact] = await listFactsOfMoment(world.db, spoken.act ?? '')
    await act(world, 'operator', await erasing(world.db, fact?.hash ?? '', 'asked to'))
    expect(await readFace(world, seen.record.face)).toBeNull()
    for (const orientation of ['half', 'inward']) {
      const later = await turned(orientation)
      expect(textOf(later)).not.toContain('the secret word')
    }
    expect(textOf(await turned('inward'))).toContain('"erased":true')
  })

  it('what is erased while a moment thinks of it is gone from its face when that ends', async () => {
    const rel = [{ rel: 'asker' }]
    await setRole(world, { name: 'pensive', canSummon: rel, defaultOrientation: 'inward', prompt: '' })
    await world.birth({ name: 'thinker', cognition: 'llm', role: 'pensive' })
    const { act: spoken } = await live(world, 'thinker', 'an owl was here')
    const { promise: told, resolve: tellOn } = Promise.withResolvers<void>()
    const { promise: thinking, resolve: thinks } = Promise.withResolvers<string>()
    model.script(async (request) => {
      if (beingOf(request) !== 'thinker') return undefined
      thinks(String(request.messages[0]?.content))
      await told
      return undefined
    })
    const wake = await tell(world, 'thinker', 'think back')
    expect(await thinking).toContain('an owl was here')
    const [fact] = await listFactsOfMoment(world.db, spoken ?? '')
    await act(world, 'operator', await erasing(world.db, fact?.hash ?? '', 'asked to'))
    tellOn()
    await momentOf(world, wake)
    const outcome = await findOutcomeOfWake(world.db, wake)
    const open = await findOpen(world.db, outcome?.moment ?? '')
    expect(open?.record.face).toBeTypeOf('string')
    expect(await readFace(world, open?.record.face)).toBeNull()
    model.reset()
  })

  it('moments that look back replay from both records, and both verifiers accept them', async () => {
    for (let i = 0; i < (IS_NIGHT ? 4 : 1); i++)
      for (const orientation of ['half', 'inward']) await turned(orientation, i % 2 === 0 ? 'self' : 'deep')
    await expectReplays(world)
    await expectUnbroken(world)
    const folder = mkdtempSync(join(tmpdir(), 'treeos-orientation-'))
    const file = join(folder, 'all.jsonl')
    await exportBundle(world.db, world.reality, { log: null, file })
    const bundle = readFileSync(file)
    expect((await verifyBytes(bundle, null)).broken).toEqual([])
    if (whyNoPython() === null) {
      const second = new SecondVerifier()
      expect(await second.ask({ bundle, key: null })).not.toMatchObject({ status: 'broken' })
      second.close()
    }
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('the defaults of a role', () => {
  it('is derived: permissions, async replies, messages as triggers, whom to answer, and the prompt', async () => {
    await setRole(world, {
      name: 'bare-bones',
      canSee: ['~'],
      canSummon: [{ rel: 'asker' }],
      prompt: 'Be brief.',
    })
    const listed = await roles(world.db, rolesNamed)
    expect(listed.find(({ name }) => name === 'bare-bones')).toMatchObject({
      permissions: ['see', 'summon'],
      respondMode: 'async',
      triggerOn: ['message'],
      selfContinue: false,
      forceToolCall: false,
      defaultOrientation: 'forward',
      description: '',
    })
    await world.birth({ name: 'sparrow', cognition: 'llm', role: 'bare-bones' })
    const { moment, reply } = await summon(world, {
      target: 'sparrow',
      content: 'are you there?',
      as: 'operator',
      waitSeconds: 20,
    })
    // Woken by a message, it answered by a summon of its own, with no target named.
    expect(moment).toMatchObject({ outcome: 'act', primary: 'bare-bones' })
    expect(reply).toEqual({ from: '@sparrow', content: 'ok: are you there?' })
    const [request] = model.requests.flatMap(({ body }) =>
      body !== null && beingOf(body) === 'sparrow' ? [body] : [],
    )
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(['summon', 'see'])
    expect(request?.messages[0]?.content).toMatch(/^I am sparrow, bare-bones at \/\..*Be brief\./s)
  })
})

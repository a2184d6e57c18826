import { act, moments } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { fetchRuns } from '@treeos/replay'
import { type Decision, defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import type { Operation } from '@treeos/world'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSpace, doAs, groundOf, live, play, rowOf, until, wakesOf } from '../../support/life.ts'
import mail from '../../support/mail.ts'
import { drawn, IS_NIGHT } from '../../support/night.ts'
import { type PostOffice, startPostOffice } from '../../support/post-office.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

let odd = 0
/** Its schema throws a plain error, or its effect returns a value that is not JSON. */
const oddly = defineOperation({
  name: 'odds:oddly',
  description: 'Misbehaves.',
  on: 'being',
  allow: ['self'],
  args: z.object({
    text: z
      .string()
      .transform((text) => JSON.parse(text) as number)
      .describe('a number as text'),
  }),
  effect: {
    timeoutSeconds: 2,
    attempts: 3,
    async perform() {
      odd += 1
      return { note: undefined } as never
    },
  },
  decide: () => ({ facts: [] }),
})
/** Computes for longer than its timeout and lets no timer run meanwhile. */
const blocking = defineOperation({
  name: 'odds:block',
  description: 'Computes.',
  on: 'being',
  allow: ['self'],
  effect: {
    timeoutSeconds: 1,
    attempts: 1,
    async perform() {
      for (const until = performance.now() + 1100; performance.now() < until; );
      return 'computed'
    },
  },
  decide: ({ actor, effect }) => ({ facts: [setQuality(actor, 'odds.got', effect)], result: effect }),
})
const odds = defineExtension({ name: 'odds', version: '1.0.0', operations: [oddly, blocking] })

/** Decides what its asker asks for. */
const attempt: Operation = {
  ...defineOperation({
    name: 'broker:attempt',
    description: 'Does what the asker asks for, or nothing.',
    on: 'being',
    allow: ['self'],
    decide: () => ({ facts: [] }),
  }),
  mediates: true,
  decide({ actor, fulfilled }) {
    const result = fulfilled?.kind === 'decided' ? fulfilled.decided.result : 'nothing'
    return { facts: [setQuality(actor, 'broker.got', result)], result }
  },
}
/** the call by which the script `broker:serve` answers every wake */
let served = {}
const broker = defineExtension({
  name: 'broker',
  version: '1.0.0',
  operations: [attempt],
  scripts: { 'broker:serve': () => ({ kind: 'call', call: served, content: null }) as unknown as Decision },
})

let office: PostOffice
/** runs while the office handles a request */
let meanwhile: () => Promise<unknown> = async () => undefined
beforeAll(async () => {
  office = await startPostOffice(() => meanwhile())
  process.env.TREEOS_TEST_OFFICE = office.url
})
afterAll(() => office?.close())
const world = useWorld({ extensions: [stage, mail, odds, broker] })
beforeAll(async () => {
  await world.birthPuppet('clerk')
})

const send = (text: unknown, target = '@clerk') => {
  const args = (text === undefined ? {} : { text }) as JsonObject
  return play(world, 'clerk', { verb: 'do', operation: 'mail:post', target, args })
}
const lastOf = async (being: string) => (await rowOf(world, being)).qualities.mail as JsonObject

const keysOf = ({ letters }: PostOffice) => new Set(letters.map(({ key }) => key))

describe('an operation that does something outside', () => {
  it('does it once the gates have let it pass, and decides on what came of it', async () => {
    expect(await send('hello')).toMatchObject({ outcome: 'act' })
    const [letter] = office.letters
    expect(letter).toEqual({ key: expect.stringMatching(/^[0-9a-f]{64}$/), text: 'hello' })
    expect(await lastOf('clerk')).toEqual({ last: 'hello', receipt: letter?.key })
  })

  it('of a person as well, whose act waits for it', async () => {
    const { result } = await doAs(world, 'mail:post', '@operator', { text: 'by hand' })
    expect(result).toMatchObject({ receipt: office.letters.at(-1)?.key })
  })

  const MOODS = [
    ['a refusal that may pass', 503],
    ['an answer that was lost', 0],
    ['silence', 1], // later tests find the letter of this one
  ] as const
  it.each(IS_NIGHT ? MOODS : MOODS.slice(-1))(
    'is asked again under the same key after %s, and is done once',
    async (_what, mood) => {
      office.moods = [mood]
      const before = { asked: office.asked, keys: keysOf(office).size }
      expect(await send(`again ${mood}`)).toMatchObject({ outcome: 'act' })
      expect(office.asked).toBe(before.asked + 2)
      expect(keysOf(office).size).toBe(before.keys + 1)
    },
  )

  it('comes to a named failure when it was never done, and nothing is written', async () => {
    office.moods = [503, 503, 503]
    const before = await groundOf(world)
    const told = before as { facts: number }
    expect(await send('in vain')).toMatchObject({ outcome: 'failure', reason: 'INTERNAL', act: null })
    expect(((await groundOf(world)) as { facts: number }).facts).toBe(told.facts + 1) // what it was told
    expect((await lastOf('clerk')).last).toBe('again 1')
  })

  it('fails by its timeout, though it blocked the timer until it was done', async () => {
    const block = { verb: 'do', operation: 'odds:block', target: '@clerk', args: {} } as const
    expect(await play(world, 'clerk', block)).toMatchObject({
      outcome: 'failure',
      reason: 'TIMEOUT',
      message: expect.stringContaining('it took longer than its timeout'),
    })
  })

  it('is not asked again for what no attempt would change: its own refusal is the moment’s', async () => {
    office.moods = [422]
    const before = office.asked
    expect(await send('rude')).toMatchObject({
      outcome: 'failure',
      reason: 'INVALID_INPUT',
      message: 'the office takes no such letter',
    })
    expect(office.asked).toBe(before + 1)
  })

  it.each(
    drawn([
      ['of another type', 7, '@clerk', 'INVALID_INPUT'],
      ['missing', undefined, '@clerk', 'INVALID_INPUT'],
      ['too large', 'x'.repeat(101), '@clerk', 'INVALID_INPUT'],
      ['on somebody else', 'hers', '@librarian', 'FORBIDDEN'],
      ['on what it does not take', 'to a place', '/library', 'INVALID_TYPE'],
      ['on nobody', 'to nobody', '@nobody', 'BEING_NOT_FOUND'],
    ]),
  )('bad input, %s: nothing is done outside, and nothing written', async (_what, text, target, code) => {
    const before = office.asked
    expect(await send(text, target)).toMatchObject({ outcome: 'failure', reason: code })
    expect(office.asked).toBe(before)
  })

  it('nor is anything done for whom the lists do not hold it', async () => {
    await world.birth({ name: 'mute', cognition: 'human', role: 'stage:mute' })
    const call = { verb: 'do', operation: 'mail:post', target: '@mute', args: { text: 'psst' } } as const
    const before = office.asked
    await expect(act({ ...world, person: 'mute' }, 'mute', call)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(office.asked).toBe(before)
  })

  it.each([
    ['a schema that throws', 'no JSON', 'INTERNAL', /threw SyntaxError/, 0],
    [
      'a result outside JSON, once done',
      '1',
      'INTERNAL',
      /odds:oddly returned a value that is not plain JSON/,
      1,
    ],
  ])('%s fails its moment, wedges nobody and is not done again', async (_what, text, code, says, times) => {
    odd = 0
    const call = { verb: 'do', operation: 'odds:oddly', target: '@clerk', args: { text } }
    expect(await play(world, 'clerk', call)).toMatchObject({
      outcome: 'failure',
      reason: code,
      message: expect.stringMatching(says),
    })
    expect(odd).toBe(times)
  })

  it('keeps what was asked and what came of it out of Temporal’s history', async () => {
    const runs = await fetchRuns(world.temporal, world.reality.name, 'clerk', null)
    const history = JSON.stringify(runs.map((run) => run.history))
    const plain = history.replace(/"([A-Za-z0-9+/=]{8,})"/g, (_all, text: string) =>
      Buffer.from(text, 'base64').toString('utf8'),
    )
    expect(plain).toContain('mail:post') // the activity has its operation's name
    for (const secret of ['hello', 'again 503', 'the office says', 'in vain'])
      expect(plain).not.toContain(secret)
  })
})

describe('an operation with an effect that another being asks for', () => {
  const script = (operation: string) => ({ verb: 'do', operation, target: '@agent', args: {} })
  beforeAll(async () => {
    await world.birth({ name: 'agent', cognition: 'scripted', script: 'broker:serve', role: 'stage:free' })
  })

  const ask = async (by: string, text: string) => {
    served = script(by)
    const before = office.asked
    expect(await live(world, 'agent', { do: 'mail:post', text })).toMatchObject({ outcome: 'act' })
    expect(office.asked).toBe(before + 1)
    expect(office.letters.at(-1)).toMatchObject({ text })
    return office.letters.at(-1)?.key
  }

  it('is done once, and mediate writes what came of it', async () => {
    const receipt = await ask('mediate', 'for another')
    expect(await lastOf('operator')).toEqual({ last: 'for another', receipt })
  })

  it('is done once for an operation of an extension that mediates, too', async () => {
    const receipt = await ask('broker:attempt', 'by an extension')
    expect((await rowOf(world, 'agent')).qualities.broker).toEqual({ got: { receipt } })
  })
})

describe('effects of a driven being', () => {
  let ada: World
  beforeAll(async () => {
    ada = { ...world, person: 'ada' }
    await world.birth({ name: 'ada', cognition: 'human', role: 'stage:free' })
    const args = { name: 'kid', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
    await act(ada, 'ada', { verb: 'be', operation: 'birth', args })
  })
  const connectAs = (person: string) =>
    act({ ...world, person }, person, { verb: 'be', operation: 'connect', args: { being: '@kid' } })
  const post = (operation: string, text: string) =>
    act(ada, 'kid', { verb: 'do', operation, target: '@kid', args: { text } })
  /** Lets the lease run out, as if its holder had stopped renewing it. */
  const runOut = () =>
    sql`update treeos.lease set expires = clock_timestamp() where being = 'kid'`.execute(world.owner)
  const isFree = async () => (await rowOf(world, 'kid')).inhabited?.by === null
  const handOver = async () => {
    await runOut()
    await until(isFree)
    await connectAs('operator')
  }
  const isRefused = { code: 'FORBIDDEN', message: expect.stringMatching(/lease .*(has expired|is over)/) }
  afterEach(async () => {
    meanwhile = async () => undefined
    await runOut()
    await until(isFree, { what: '@kid freed' })
  })

  it('is done while the lease holds', async () => {
    await connectAs('ada')
    const { result } = await post('mail:post', 'by hand')
    expect(office.letters.at(-1)).toEqual({ key: (result as JsonObject).receipt, text: 'by hand' })
  })

  it('is not done when its lease ran out while its worker was away', async () => {
    await connectAs('ada')
    await world.stopWorker()
    const before = office.asked
    const posted = post('mail:post', 'too late')
    posted.catch(() => undefined) // awaited below
    await until(async () => (await wakesOf(world, 'kid')).some(({ closedBy }) => closedBy === null))
    await runOut()
    await world.startWorker()
    await expect(posted).rejects.toMatchObject(isRefused)
    expect(office.asked).toBe(before)
  })

  const ENDS = [
    ['has run out', runOut, 'INTERNAL'], // the first attempt may have happened
    ['is somebody else’s', handOver, 'FORBIDDEN'],
  ] as const
  it.each(IS_NIGHT ? ENDS : ENDS.slice(0, 1))(
    'is not tried again when by then the lease %s',
    async (_what, since, code) => {
      await connectAs('ada')
      const before = office.asked
      office.moods = [503]
      meanwhile = since
      await expect(post('mail:post-surely', 'once')).rejects.toMatchObject({ ...isRefused, code })
      expect(office.asked).toBe(before + 1)
    },
  )
})

it('replays identically, and is not performed again', async () => {
  const before = office.asked
  await createSpace(world, '/later')
  expect((await moments(world.db, 'clerk')).length).toBeGreaterThan(8)
  await expectUnbroken(world)
  await expectReplays(world)
  expect(office.asked).toBe(before)
})

it('an effect without bounds is refused where it is written', () => {
  const bad = (effect: object) => () =>
    defineOperation({
      name: 'mail:x',
      description: 'Sends mail.',
      on: 'being',
      allow: [],
      effect: { perform: async () => null, timeoutSeconds: 2, attempts: 1, ...effect },
      decide: () => ({ facts: [] }),
    })
  expect(bad({ timeoutSeconds: 0 })).toThrow(/timeoutSeconds from 1 to 3600/)
  expect(bad({ timeoutSeconds: 3601 })).toThrow(RangeError)
  expect(bad({ attempts: 11 })).toThrow(/attempts from 1 to 10/)
  expect(bad({ attempts: 1.5 })).toThrow(RangeError)
})

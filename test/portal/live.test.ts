import { get } from 'node:http'
import { act, issueToken, revokeToken, summon } from '@treeos/client'
import { notifyWords } from '@treeos/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/life.ts'
import { PortalWorld, type Seat } from '../support/portal.ts'

let at: PortalWorld
let operator: Seat
let bob: Seat
beforeAll(async () => {
  at = await PortalWorld.start()
  ;[operator, bob] = [await at.enter('operator'), await at.enter('bob')]
})
afterAll(() => at?.close())

interface Event {
  readonly event: string
  readonly id: string
  readonly data: string
}

interface Stream {
  readonly events: Event[]
  readonly status: number
  isOver: boolean
  close(): void
}

/**
 * Opens the stream of the page, or with a token that of the API, and waits for its first event, or its
 * refusal.
 */
async function follow(who: Seat | { readonly token: string }, lastEventId?: string): Promise<Stream> {
  const isProgram = 'token' in who
  const headers = {
    ...(isProgram
      ? { authorization: `Bearer ${who.token}` }
      : { cookie: who.cookie, 'x-treeos-key': who.key }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  return new Promise((resolve, reject) => {
    const asked = get(`${at.origin}${isProgram ? '/api/v1/journal' : '/api/live'}`, { headers }, (answer) => {
      const stream: Stream = {
        events: [],
        status: answer.statusCode ?? 0,
        isOver: false,
        close: () => asked.destroy(),
      }
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (text + chunk).split('\n\n')
        text = parts.pop() ?? ''
        for (const part of parts.filter((one) => !one.startsWith(':'))) {
          const of = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1] ?? ''
          stream.events.push({ event: of('event'), id: of('id'), data: of('data') })
        }
        resolve(stream)
      })
      answer.on('close', () => {
        stream.isOver = true
        resolve(stream)
      })
      answer.on('error', () => undefined)
    })
    asked.on('error', (error) => reject(error))
  })
}

/** The operator says something to @echo, and gets an answer: two moments, with facts. */
const speak = (content: string) =>
  summon(at.world, { target: 'echo', content, as: 'operator', waitSeconds: 30 })
const has = (stream: Stream, text: string) =>
  until(() => stream.events.some(({ data }) => data.includes(text)))

it('what happens comes as it happens, to those who may look into it', async () => {
  const mine = await follow(operator)
  const his = await follow(bob)
  expect(mine.events[0]).toMatchObject({
    event: 'begin',
    data: expect.stringMatching(/^\{"stream":"[0-9a-f-]{36}"\}$/),
  })
  await speak('a word for echo alone')
  await has(mine, 'a word for echo alone')
  expect(new Set(mine.events.map(({ event }) => event))).toEqual(new Set(['begin', 'moment', 'fact']))
  // Control: the stream of the other person lives, and shows what is his own.
  const asBob = { ...at.world, person: 'bob' }
  await act(asBob, 'bob', { verb: 'do', operation: 'move', target: '/library', args: {} })
  await until(() => his.events.some(({ event }) => event === 'moment'))
  for (const { event, data } of his.events.slice(1)) {
    const happening = JSON.parse(data)
    if (event === 'moment') expect(happening.being).toBe('bob')
    else
      expect([happening.actor, happening.reel]).toContain(
        happening.reel === 'being:bob' ? 'being:bob' : 'bob',
      )
  }
  expect(JSON.stringify(his.events)).not.toContain('echo alone')
  for (const stream of [mine, his]) stream.close()
})

it('the journal of the API holds for a program what its being may look into, of one being where it asks for one', async () => {
  const [all, ofEcho] = [
    await follow(await program('operator')),
    await at.ask(bob, '/api/v1/journal?being=echo'),
  ]
  expect(ofEcho).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } })
  const his = await follow(await program('bob'))
  await speak('a word for programs')
  await has(all, 'a word for programs')
  const asBob = { ...at.world, person: 'bob' }
  await act(asBob, 'bob', { verb: 'do', operation: 'move', target: '/', args: {} })
  await until(() => his.events.some(({ event }) => event === 'moment'))
  expect(JSON.stringify(his.events)).not.toContain('for programs')
  for (const stream of [all, his]) stream.close()
})

/** A program of a person. */
async function program(being: string) {
  const { secret: token, id } = await issueToken({ ...at.world, person: being }, { being, as: being })
  return { token, id }
}

it.each([
  ['of the page', async () => operator],
  ['of the API', () => program('operator')],
])(
  'a stream %s that was lost goes on after the last event that came, without a gap and without a repeat',
  async (_of, sit) => {
    const who = await sit()
    const whole = await follow(who)
    const first = await follow(who)
    await speak('one')
    await has(first, '"one"')
    first.close()
    await speak('two')
    await speak('three')
    const again = await follow(who, first.events.at(-1)?.id)
    await has(again, '"three"')
    await has(whole, '"three"')
    await speak('four')
    for (const stream of [whole, again]) await has(stream, '"four"')
    const idsOf = (streams: Stream[]) =>
      streams.flatMap(({ events }) => events.filter(({ event }) => event !== 'begin').map(({ id }) => id))
    const seen = idsOf([first, again])
    const all = idsOf([whole])
    const last = Math.min(seen.length, all.length)
    expect(seen.length).toBeGreaterThan(8)
    expect(seen.slice(0, last)).toEqual(all.slice(0, last))
    for (const stream of [whole, again]) stream.close()
  },
)

it('a stream is read by GET alone: HEAD opens none, on any route', async () => {
  const { token } = await program('operator')
  const headers = { authorization: `Bearer ${token}` }
  for (const path of ['/api/v1/journal', '/api/live', '/api/v1/replay?being=echo']) {
    const own = path.startsWith('/api/v1/') ? { headers } : {}
    const seat = path.startsWith('/api/v1/') ? null : operator
    expect([path, (await at.ask(seat, path, { method: 'HEAD', ...own })).status]).toEqual([path, 400])
  }
})

it('an id that never was is refused', async () => {
  for (const [i, id] of ['999999999.0', 'x', "1'--"].entries()) {
    const { status } = await follow(i === 0 ? await program('operator') : operator, id).catch(() => ({
      status: 400,
    }))
    expect(status).toBe(400)
  }
})

it('ends with its session: at once when its person signs out, soon when it or a token is ended elsewhere', async () => {
  const ofBob = await program('bob')
  const third = await follow(ofBob)
  await revokeToken({ ...at.world, person: 'bob' }, { id: ofBob.id, as: 'bob' })
  const seat = await at.enter('bob')
  const one = await follow(seat)
  await at.post(seat, '/api/sign-out', {})
  await until(() => one.isOver, { seconds: 2 })
  const other = await follow(await at.enter('bob'))
  await at.enter('bob') // ends every other session
  await until(() => other.isOver && third.isOver, { seconds: 12 })
})

it('so many at once are refused, and closed ones make room', async () => {
  const seat = await at.enter('bob')
  const open = await Promise.all(Array.from({ length: 8 }, () => follow(seat)))
  const ninth = await at.ask(seat, '/api/live')
  expect(ninth).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
  open[0]?.close()
  const again = await until(async () => {
    const stream = await follow(seat)
    return stream.status === 200 ? stream : null
  })
  for (const stream of [...open, again]) stream.close()
})

it('what a model writes comes to the stream that asks for it, and to those alone who may look into its past', async () => {
  const bob = await at.enter('bob') // another test has ended his sessions
  const [mine, his] = [await follow(operator), await follow(bob)]
  const nameOf = (stream: Stream) => String(JSON.parse(stream.events[0]!.data).stream)
  const bring = (seat: Seat, stream: string, beings: string[]) =>
    at.post(seat, '/api/live/streamed', { stream, beings })
  expect((await bring(operator, nameOf(mine), ['echo', 'nobody'])).json).toEqual({ streamed: ['echo'] })
  // One that does not exist is left out like one whose words are not open.
  expect((await bring(bob, nameOf(his), ['echo', 'nobody', 'bob'])).json).toEqual({ streamed: ['bob'] })
  expect(await bring(bob, nameOf(mine), ['bob'])).toMatchObject({ status: 400 })
  const words = {
    being: 'echo',
    moment: 'echo/1/1',
    answers: null,
    thread: 't',
    attempt: 1,
    part: 0,
    says: [{ tool: null, text: 'soft' }],
  }
  await notifyWords(at.world.db, words)
  const wordsOf = (stream: Stream) => stream.events.filter(({ event }) => event === 'words')
  await until(() => wordsOf(mine).length > 0)
  expect(wordsOf(mine)).toEqual([{ event: 'words', id: '', data: JSON.stringify(words) }])
  await bring(operator, nameOf(mine), [])
  await notifyWords(at.world.db, words)
  await speak('and then something that all streams of the operator hear')
  await has(mine, 'all streams of the operator')
  expect(wordsOf(mine)).toHaveLength(1)
  expect(wordsOf(his)).toEqual([])
  for (const stream of [mine, his]) stream.close()
})

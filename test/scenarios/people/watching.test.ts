/** What a model writes is streamed to those who watch, and is stored nowhere before its decision is. */

import { streamWords, summon } from '@treeos/client'
import { momentId } from '@treeos/core'
import { findDecision, type JournalListener, listenToJournal, type WordNotice } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, live, momentOf, tell, until } from '../../support/life.ts'
import type { Reply, Streamed } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
let listener: JournalListener

beforeAll(async () => {
  listener = listenToJournal(world.url)
  for (const name of ['teller', 'quiet', 'patient'])
    await world.birth({ name, cognition: 'llm', role: 'resident' })
  await world.birth({ name: 'ann', cognition: 'human' })
})
afterAll(() => listener?.close())
afterEach(() => model.reset())

const script = (being: string, ...replies: Reply[]) =>
  model.script((request) => (beingOf(request) === being ? replies.shift() : undefined))

/** Watches a being while `during` runs. */
async function watching<T>(
  being: string,
  during: (heard: WordNotice[]) => Promise<T>,
  as = 'operator',
): Promise<T> {
  const heard: WordNotice[] = []
  const held = await streamWords(world, { as, being, listener, heard: (words) => void heard.push(words) })
  try {
    await held.ready
    return await during(heard)
  } finally {
    held.end()
  }
}
const textOf = (heard: readonly WordNotice[]) =>
  heard.flatMap(({ says }) => says.map(({ text }) => text)).join('')
const answering = (content: string, streamed?: Streamed): Reply => ({
  tool: { name: 'summon', args: { content } },
  ...(streamed === undefined ? {} : { streamed }),
})

/** All rows of all tables of the reality, as text. */
async function everything(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema like 'treeos%' and table_type = 'BASE TABLE'`.execute(world.owner)
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ text: string }>`
        select string_agg(t::text, ' ') as text from ${sql.table(name)} t`.execute(world.owner)
      return rows[0]?.text ?? ''
    }),
  )
  const all = texts.join('\n')
  // Contents are stored as bytes, which show as digits.
  return all + all.replace(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('utf8'))
}

describe('who watches a being', () => {
  it('reads what its model writes while it writes; no row and no history has it before the decision', async () => {
    const gate = Promise.withResolvers<void>()
    script(
      'teller',
      answering('a red kite above the roofs', { before: (n) => (n === 4 ? gate.promise : undefined) }),
    )
    await watching('teller', async (heard) => {
      const wake = await tell(world, 'teller', 'go on')
      await until(() => textOf(heard).includes('a red kit'))
      expect(await everything()).not.toContain('a red kit')
      const moment = await until(async () => heard[0]?.moment)
      expect(await findDecision(world.db, moment)).toBeNull()
      gate.resolve()
      const { outcome } = await momentOf(world, wake)
      expect(outcome).toBe('act')
      await until(() => heard.at(-1)?.end === 'answered')
      expect(textOf(heard)).toBe('{"content":"a red kite above the roofs"}')
      expect(heard[0]).toMatchObject({ being: 'teller', thread: wake, part: 0, says: [{ tool: 'summon' }] })
      // Control: the decision has the text, where it was looked for.
      expect(await everything()).toContain('a red kit')
      const histories = world.temporal.workflow.getHandle(`being/${world.reality.name}/teller`)
      expect(JSON.stringify(await histories.fetchHistory())).not.toContain('a red kit')
    })
  })

  it('changes nothing of what is recorded', async () => {
    script('teller', answering('the same words'), answering('the same words'))
    const alone = await live(world, 'teller', 'say it')
    const seen = await watching('teller', () => live(world, 'teller', 'say it'))
    const ids = [alone, seen].map(({ n }) => momentId('teller', 1, n))
    const stored = await world.db
      .selectFrom('moment_decision')
      .select(['bytes', 'usage'])
      .where('moment', 'in', ids)
      .execute()
    expect(stored).toHaveLength(2)
    expect(stored[1]!.bytes.equals(stored[0]!.bytes)).toBe(true)
    for (const { usage } of stored)
      expect(usage).toMatchObject({ completionTokens: expect.any(Number), model: 'test' })
    expect(askedFor(model, 'teller').map(({ stream }) => stream)).toEqual([undefined, true])
  })

  it('may look into its past: another person hears nothing, and is told why', async () => {
    const asAnn = { ...world, person: 'ann' }
    const request = { as: 'ann', being: 'teller', listener, heard: () => undefined }
    await expect(streamWords(asAnn, request)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(streamWords(asAnn, { ...request, being: 'nobody' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await live(world, 'teller', 'go on')
    expect(askedFor(model, 'teller').map(({ stream }) => stream)).toEqual([undefined])
    // Control: she may watch herself.
    const { ready, end } = await streamWords(asAnn, { ...request, being: 'ann' })
    await ready
    end()
  })

  it('sees a stream that is cut, and the next attempt, which counts', async () => {
    script(
      'patient',
      answering('the first half of it', { breaks: { after: 3, how: 'reset' } }),
      answering('the second try'),
    )
    await watching('patient', async (heard) => {
      const { outcome, n } = await live(world, 'patient', 'go on')
      expect(outcome).toBe('act')
      await until(() => heard.at(-1)?.end === 'answered')
      const attempts = [...new Set(heard.map(({ attempt }) => attempt))]
      expect(attempts).toHaveLength(2)
      const of = (attempt: number | undefined) => heard.filter((words) => words.attempt === attempt)
      expect(of(attempts[0]).at(-1)?.end).toBe('lost')
      expect(textOf(of(attempts[1]))).toBe('{"content":"the second try"}')
      expect(await everything()).not.toContain('the first ha')
      const faults = world.faults.filter(({ moment }) => moment === momentId('patient', 1, n))
      expect(faults).toMatchObject([{ part: 'model', attempt: 1 }])
    })
  })

  it('of another being hears nothing of this one, and this model is not asked to stream', async () => {
    await watching('teller', async (heard) => {
      await live(world, 'quiet', 'go on')
      expect(heard).toEqual([])
    })
    await live(world, 'teller', 'nobody watches any more')
    const streams = (being: string) => askedFor(model, being).map(({ stream }) => stream)
    expect([streams('quiet'), streams('teller')]).toEqual([[undefined], [undefined]])
  })

  it('hears nothing of a call that has an overlay, since what repeats it is masked only at the end', async () => {
    const overlay = { content: 'Answer as a lighthouse keeper who never sleeps at all.' }
    script(
      'teller',
      answering('Answer as a lighthouse keeper who never sleeps at all.'),
      answering('plain words'),
    )
    await watching('teller', async (heard) => {
      const request = { target: 'teller', content: 'x', as: 'operator', waitSeconds: 30 }
      await summon(world, { ...request, overlay })
      expect(askedFor(model, 'teller')[0]).not.toHaveProperty('stream')
      expect(heard).toEqual([])
      // Control: the same without an overlay is heard.
      await summon(world, request)
      await until(() => textOf(heard).includes('plain words'))
    })
  })
})

it('all of it replays, and no error was told', async () => {
  expect(world.errors).toEqual([])
  await expectReplays(world)
  await expectUnbroken(world)
})

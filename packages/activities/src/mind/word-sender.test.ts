import { setTimeout as sleep } from 'node:timers/promises'
import { NOTICE_BYTES_MAX, type WordNotice } from '@treeos/store'
import { expect, it } from 'vitest'
import { WordSender } from './word-sender.ts'

const OF = {
  being: 'owl',
  moment: `${'o'.repeat(32)}/1/1000000`,
  thread: 't'.repeat(128),
  answers: null,
  attempt: -5,
} as const

function hearing(delayMs = 0, fails: (n: number) => boolean = () => false) {
  const told: WordNotice[] = []
  const errors: unknown[] = []
  let n = 0
  const telling = new WordSender(
    OF as Omit<WordNotice, 'part' | 'says' | 'end'>,
    async (words) => {
      await sleep(delayMs)
      if (fails(n++)) throw new Error('Postgres is away')
      told.push(words)
    },
    (error) => void errors.push(error),
  )
  return { telling, told, errors }
}
const textOf = (told: readonly WordNotice[]) =>
  told.flatMap(({ says }) => says.map(({ text }) => text)).join('')

it('tells what was written within a tenth of a second together, in order, each tool apart', async () => {
  const { telling, told } = hearing()
  for (const letter of 'abcdef') telling.hear({ tool: null, text: letter })
  telling.hear({ tool: 'summon', text: '{"content":' })
  telling.hear({ tool: 'summon', text: '"x"}' })
  expect(told).toEqual([]) // the caller never waits
  await sleep(150)
  telling.end('answered')
  await sleep(20)
  expect(told).toEqual([
    {
      ...OF,
      part: 0,
      says: [
        { tool: null, text: 'abcdef' },
        { tool: 'summon', text: '{"content":"x"}' },
      ],
    },
    { ...OF, part: 1, says: [], end: 'answered' },
  ])
})

it.each([
  ['letters', 'x'],
  ['escaped letters', '\u0001'],
  ['pairs of surrogates', '🌊'],
])('a notice is never longer than Postgres takes: %s', async (_, letter) => {
  const { telling, told } = hearing(1)
  const text = letter.repeat(20_000)
  telling.hear({ tool: null, text })
  telling.hear({ tool: 'n'.repeat(5000), text })
  for (let i = 0; i < 500; i++) telling.hear({ tool: `t${i}`, text: letter })
  telling.end('lost')
  await expect.poll(() => told.at(-1)?.end).toBe('lost')
  for (const words of told)
    expect(Buffer.byteLength(JSON.stringify(words))).toBeLessThanOrEqual(NOTICE_BYTES_MAX)
  expect(textOf(told)).toBe(text + text + letter.repeat(500))
  expect(told.map(({ part }) => part)).toEqual(told.map((_, i) => i))
  for (const { says } of told) for (const said of says) expect(said.text.isWellFormed()).toBe(true)
})

it('a failure loses the words of one notice, says so once, and goes on', async () => {
  const { telling, told, errors } = hearing(0, (n) => n === 0)
  telling.hear({ tool: null, text: 'lost ' })
  await expect.poll(() => errors.length).toBe(1)
  telling.hear({ tool: null, text: 'heard' })
  await expect.poll(() => told.length).toBe(1)
  await sleep(150)
  expect(errors).toHaveLength(1)
  expect(told).toEqual([{ ...OF, part: 1, says: [{ tool: null, text: 'heard' }] }])
})

it.each([
  ['in two pieces', ['a\ud83d', '\ude00b'], 'a😀b'],
  ['in a piece of its own', ['a', '\ud83d', '\ude00', 'b'], 'a😀b'],
  ['without its second half', ['a\ud83d', 'b'], 'a\ufffdb'],
])('an emoji that comes %s is told whole', async (_what, pieces, whole) => {
  const { telling, told } = hearing()
  for (const text of pieces) {
    telling.hear({ tool: null, text })
    await sleep(110) // so that each is told before the next one comes
  }
  telling.end('answered')
  await expect.poll(() => told.at(-1)?.end).toBe('answered')
  expect(textOf(told)).toBe(whole)
  for (const { says } of told) for (const { text } of says) expect(text.isWellFormed()).toBe(true)
})

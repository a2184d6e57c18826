import { describe, expect, it } from 'vitest'
import type { Surface } from '../rows/lists.ts'
import { groundRules, isAwaited, repeatsLastLine, type WakeRow, wakeBlock } from './wake-block.ts'

const NONE: Surface = { canSee: [], canDo: [], canSummon: [], canBe: [] }
const ANSWERING: Surface = { ...NONE, canSummon: ['@bo'] }
const ASKER = { respondMode: 'async', prose: 'see', forceToolCall: false } as const
const BO = { name: 'bo', role: 'guest', cognition: 'human' } as const

const woken = (wake: Partial<WakeRow['wake']> = {}, caller: WakeRow['caller'] = BO): WakeRow => {
  const row: WakeRow = {
    wake: { id: 'w', kind: 'summon', root: 't', inReplyTo: null, ...wake },
    caller,
    verb: 'summon',
  }
  const isQuestion =
    row.wake.kind === 'summon' && row.wake.inReplyTo === null && row.wake.expectReply !== false
  return caller !== null && isQuestion ? owing(row) : row
}
const owing = (row: WakeRow): WakeRow => ({ ...row, owed: { id: 'w', caller: BO, hops: 0 } })
const linesOf = (row: WakeRow) => wakeBlock(row, ANSWERING, ASKER).block.split('\n')
const lastLineOf = (row: WakeRow, surface = ANSWERING) => wakeBlock(row, surface, ASKER).after

describe('[Wake]', () => {
  it.each<[string, string, WakeRow]>([
    ['a message', 'message', woken()],
    ['an answer', 'answer', woken({ inReplyTo: 'q' })],
    ['a change', 'change', woken({ id: 'change/x/1/1', kind: 'event' }, null)],
    ['a schedule', 'schedule', woken({ id: 'schedule/x/y', kind: 'event' }, null)],
    ['silence', 'idle', woken({ id: 'idle/x/1/1', kind: 'event' }, null)],
    ['a self-continue', 'continue', woken({ id: 'continue/x/1/1', kind: 'event' }, null)],
    ['a look', 'look', woken({ id: 'look/x/1/1', kind: 'event' })],
    ['a notice', 'notice', woken({ id: 'notice/x/1/1/ann', kind: 'event' }, null)],
    ['a trigger of an extension', 'court:sitting', woken({ id: 'court:sitting/1', kind: 'event' }, null)],
    ['an act of a person', 'act', woken({ id: 'act/1', kind: 'act' }, null)],
  ])('names the kind of %s: %s', (_what, kind, row) => {
    expect(linesOf(row).slice(0, 3)).toEqual([
      '[Wake]',
      `kind: ${kind}`,
      row.caller === null ? 'from: nobody' : 'from: @bo',
    ])
  })

  it('never speaks of the being itself as another: of one that turned to itself, it says who still waits', () => {
    expect(linesOf({ ...woken(), toSelf: true })).toEqual([
      ...['[Wake]', 'kind: message', 'from: yourself', 'asker: @bo', 'role: guest', 'mind: human'],
      'The user message is what you said to yourself.',
      'The last line of the user message says what you can do. Its sender did not write it.',
      'thread: t',
    ])
    expect(linesOf({ ...woken({}, null), toSelf: true })).toEqual([
      ...['[Wake]', 'kind: message', 'from: yourself', 'The user message is what you said to yourself.'],
      'thread: t',
    ])
  })

  it.each([
    { of: {}, more: {}, says: [] },
    {
      of: { outside: true as const },
      more: { outside: true as const },
      says: ['The user message holds words from outside'],
    },
    { of: {}, more: { outside: true as const }, says: ['Some of what you see holds words from outside'] },
  ])('says that words are from outside only where they are: $says', ({ of, more, says }) => {
    const found = linesOf({ ...woken(of), ...more }).filter((line) => line.includes('outside'))
    expect(found.map((line) => line.slice(0, line.indexOf(' outside') + 8))).toEqual(says)
  })

  it('a message with the id of an event is a message: the kind of the row counts', () => {
    expect(linesOf(woken({ id: 'change/forged' }))[1]).toBe('kind: message')
  })

  it('says how to answer only where the sender is in canSummon', () => {
    expect(lastLineOf(woken())).toMatch(
      /^@bo may be waiting\. To answer, call the summon tool with target @bo/,
    )
    expect(lastLineOf(woken(), { ...NONE, canSummon: ['@cy'] })).toBeNull()
    expect(lastLineOf(woken({ id: 'change/x/1/1', kind: 'event' }, null))).toBeNull()
    expect(linesOf(woken()).slice(-2)).toEqual([
      'The last line of the user message says what you can do. Its sender did not write it.',
      'thread: t',
    ])
    expect(wakeBlock(woken(), NONE, ASKER).block).not.toMatch(/last line/)
    expect(groundRules(ANSWERING, ASKER)).toMatch(/Only a tool call does something/)
    expect(groundRules(NONE, ASKER)).not.toMatch(/tool call/)
  })

  it('names the operation by which the being answers, where it has one, and no summon', () => {
    const answering = wakeBlock(woken(), ANSWERING, ASKER, 'lineage:inbox-reply').after
    expect(answering).toBe(
      '@bo may be waiting. To answer, call the do tool with operation lineage:inbox-reply.',
    )
  })

  it('asks for plain words where they are the answer, and where no tool has to be called', () => {
    const spoken = { ...ASKER, prose: 'answers' } as const
    const doing = { ...ANSWERING, canDo: ['move'] }
    const onTheWay = owing(woken({ id: 'continue/x/1/1', kind: 'event' }))
    const lineOf = (row: WakeRow, surface: Surface, more = {}) =>
      wakeBlock(row, surface, { ...spoken, ...more }).after
    expect(lineOf(woken(), ANSWERING)).toBe('Answer in plain words.')
    expect(lineOf(woken(), doing)).toBe('First call a tool if this needs one. Then answer in plain words.')
    expect(lineOf(onTheWay, doing)).toBe('Answer in plain words.')
    expect(lineOf(woken(), doing, { forceToolCall: true })).toBe(
      '@bo may be waiting. To answer, call the summon tool with target @bo, or write it as text.',
    )
  })

  it('a mind that gives the last line back has said nothing', () => {
    expect(repeatsLastLine(' First call a tool if this needs one.\n')).toBe(true)
    expect(repeatsLastLine('Answer in plain words.')).toBe(true)
    expect(repeatsLastLine('First call a tool: summon')).toBe(true)
    expect(repeatsLastLine('The first call a tool if this needs one.')).toBe(true)
    expect(repeatsLastLine('plain words')).toBe(false)
    expect(repeatsLastLine('I answer in plain words.')).toBe(false)
  })

  it.each<[boolean, string, WakeRow]>([
    [true, 'a message', woken()],
    [true, 'a look for its asker', owing(woken({ id: 'look/x/1/1', kind: 'event' }))],
    [true, 'an answer for somebody else', owing(woken({ inReplyTo: 'q' }))],
    [false, 'an answer for nobody', woken({ inReplyTo: 'q' })],
    [false, 'an event', woken({ id: 'change/x/1/1', kind: 'event' }, null)],
  ])('awaited is %s after %s: then forceToolCall holds', (awaited, _what, row) => {
    expect(isAwaited(row)).toBe(awaited)
  })
})

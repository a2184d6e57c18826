import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { frameOf, heightOf, wrapped } from './frame.ts'
import { type DebuggedMoment, pageOf, titleOf } from './page.ts'
import { type DebugState, type Key, press, type Step } from './steps.ts'

const STATE: DebugState = {
  n: 3,
  newest: 9,
  top: 0,
  isFollowing: false,
  asking: null,
  query: null,
  note: null,
}
const EXTENT = { height: 10, lines: 25 }
const key = (sequence: string, name?: string): Key => ({ sequence, name })
/** Presses one key after another; what they asked for is forgotten, except the last. */
const presses = (state: DebugState, ...keys: Key[]): Step =>
  keys.reduce<Step>((step, one) => press(step.state, one, EXTENT), { state, wish: null })

describe('keys', () => {
  it.each<[string, Key, Step['wish']]>([
    ['right', key('', 'right'), { kind: 'go', n: 4 }],
    ['left', key('', 'left'), { kind: 'go', n: 2 }],
    ['g', key('g'), { kind: 'go', n: 1 }],
    ['G', key('G'), { kind: 'go', n: 9 }],
    [']', key(']'), { kind: 'stack', by: 1 }],
    ['[', key('['), { kind: 'stack', by: -1 }],
    ['t', key('t'), { kind: 'event' }],
    ['q', key('q'), { kind: 'quit' }],
    ['Ctrl-C', { ctrl: true, name: 'c' }, { kind: 'quit' }],
  ])('%s is a command', (_, pressed, wish) => {
    expect(press(STATE, pressed, EXTENT).wish).toEqual(wish)
  })

  it('a number goes to a moment that is there, and says which there are', () => {
    expect(presses(STATE, key('7'), key('\r', 'return'))).toMatchObject({ wish: { kind: 'go', n: 7 } })
    const away = presses(STATE, key('1'), key('0'), key('x'), key('\r', 'return'))
    expect(away).toMatchObject({
      wish: null,
      state: { note: 'there is no moment 10: they count from 1 to 9' },
    })
  })

  it('a search is typed, mended and repeated; Escape takes nothing', () => {
    const typed = presses(
      STATE,
      key('/'),
      key('q'),
      key('a'),
      key('\u007f', 'backspace'),
      key('\r', 'return'),
    )
    expect(typed.wish).toEqual({ kind: 'find', query: 'q', by: 1 })
    expect(press(typed.state, key('N'), EXTENT).wish).toEqual({ kind: 'find', query: 'q', by: -1 })
    expect(presses(STATE, key('/'), key('a'), key('\u001b', 'escape')).state).toEqual(STATE)
    expect(presses(STATE, key('/'), key('\u0007')).state.asking?.text).toBe('')
  })

  it('scrolling stays within the page, and the newest moment is followed', () => {
    expect(presses(STATE, key('', 'pagedown'), key('', 'pagedown')).state.top).toBe(15)
    expect(presses(STATE, key('', 'up')).state.top).toBe(0)
    expect(press(STATE, key('G'), EXTENT).state.isFollowing).toBe(true)
    expect(press({ ...STATE, n: 9, isFollowing: true }, key('', 'left'), EXTENT).state.isFollowing).toBe(
      false,
    )
    expect(press({ ...STATE, n: 9 }, key('', 'right'), EXTENT)).toMatchObject({ wish: null })
  })
})

/** It would clear a terminal, write its title, turn the text that follows, and end a line. */
const HOSTILE = 'a\u001b[2J\u001b]0;b\u0007\u202ec\u0000\r\u200bd\u2028e\u009bf'
const VIEW: DebuggedMoment = {
  stance: '@x',
  n: 1,
  newest: 2,
  wake: HOSTILE,
  wakeText: HOSTILE,
  layers: [{ title: HOSTILE, origin: '', text: HOSTILE }],
  moment: {
    n: 1,
    openedAt: HOSTILE,
    verb: 'summon',
    wake: HOSTILE,
    did: null,
    outcome: 'failure',
    reason: HOSTILE,
    message: HOSTILE,
    primary: HOSTILE,
    stacked: [HOSTILE],
    stackDigest: null,
    promptDigest: null,
    act: null,
    actHash: null,
    woke: { trigger: HOSTILE, from: HOSTILE, what: HOSTILE, thread: HOSTILE },
  },
  explained: {
    context: { [HOSTILE]: HOSTILE },
    primary: HOSTILE,
    source: 'clause',
    stacked: [HOSTILE],
    leftOut: [],
    by: [HOSTILE],
    surface: { canSee: [], canDo: [], canSummon: [], canBe: [] },
    clauses: [
      {
        index: 0,
        role: HOSTILE,
        stack: true,
        result: 'stacked',
        reason: HOSTILE,
        tree: { path: HOSTILE, operator: 'eq', expected: HOSTILE, actual: HOSTILE, result: false },
      },
    ],
    gates: { allowed: false, by: [HOSTILE], message: HOSTILE },
    ended: { outcome: 'failure', reason: HOSTILE, message: HOSTILE },
    openedAt: '2026-11-29T00:00:00.000Z',
    endedAt: '2026-11-29T00:00:01.000Z',
    cost: null,
    faults: [{ part: 'model', attempt: 1, at: HOSTILE, seconds: 1, message: HOSTILE, stack: HOSTILE }],
  },
  prompt: { system: HOSTILE, user: HOSTILE, digest: '', identical: false },
  decision: { kind: 'see', content: HOSTILE },
  facts: [{ reel: HOSTILE, seq: 1, hash: HOSTILE, kind: HOSTILE, payload: { [HOSTILE]: HOSTILE } }],
  cost: null,
  temporal: { workflow: HOSTILE, event: HOSTILE },
}

it('no text of the world controls the terminal, wherever it stands', () => {
  for (const text of [titleOf(VIEW), ...pageOf(VIEW).map((line) => line.text)])
    expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b\u2028]/v)
  expect(pageOf(VIEW).length).toBeGreaterThan(40)
})

it('a frame has the size of its terminal, whatever is in it', () => {
  const page = [...pageOf(VIEW), { text: '漢字👩‍👩‍👧 '.repeat(40) }, { text: '' }]
  for (const [columns, rows] of [
    [80, 24],
    [20, 4],
    [31, 10],
  ] as const) {
    const lines = wrapped(page, columns)
    for (let top = 0; top < lines.length; top += heightOf(rows)) {
      const frame = frameOf({ ...STATE, top }, titleOf(VIEW), lines, { columns, rows })
      expect(frame).toHaveLength(rows)
      for (const line of frame) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    }
  }
})

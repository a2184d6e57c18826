import { expect, it } from 'vitest'
import { readableLine, shownLogLine, uncoloured } from './logs.ts'

const AT = Date.UTC(2026, 10, 26, 21, 40, 5)
const line = (more: object) =>
  JSON.stringify({ level: 30, time: AT, pid: 7, hostname: 'h', name: 'treeos-worker', ...more })

it.each<[object, string]>([
  [
    {
      being: 'ann',
      moment: 'ann/1/7',
      thread: 'ada/1/3',
      outcome: 'failure',
      reason: 'LLM_FAILED',
      msg: 'a moment failed or was skipped',
    },
    '2026-11-26 21:40:05 info  a moment failed or was skipped: @ann, moment 7, thread ada/1/3, llm failed (LLM_FAILED) outcome="failure"',
  ],
  [
    { level: 40, moment: 'ann/1/7', part: 'model', attempt: 2, why: 'overloaded', msg: 'an attempt failed' },
    '2026-11-26 21:40:05 warn  an attempt failed: @ann, moment 7 part="model" attempt=2 why="overloaded"',
  ],
  [{ msg: 'ready' }, '2026-11-26 21:40:05 info  ready'],
])('%j reads %s', (more, words) => expect(readableLine(line(more))).toBe(words))

it.each([
  '',
  'plain text',
  '{"ready":true}',
  '[1]',
  '{"level":30,"msg":1}',
  '{"level":30,"time":"never","msg":"x"}',
  'null',
])('%j stays as it is', (other) => expect(readableLine(other)).toBe(other))

it.each([
  ['\u001b[32mINFO\u001b[0m ready', 'INFO ready'],
  ['\u001b[1;31mred\u001b[m and \u001b]8;;http://a.test\u0007link\u001b]8;;\u0007', 'red and link'],
  ['\u009b33myellow', 'yellow'],
  ['no colour', 'no colour'],
  [line({ msg: '\u001b[32mready\u001b[0m', why: '\u001b[1mx' }), '2026-11-26 21:40:05 info  ready why="x"'],
])('%j is shown as %j, without escapes', (written, shown) => {
  expect(shownLogLine(uncoloured(written))).toBe(shown)
})

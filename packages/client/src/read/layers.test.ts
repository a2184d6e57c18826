import { expect, it } from 'vitest'
import { layersOf } from './layers.ts'

const SYSTEM = `I am judge, court:judge at /court.

[place]
{
  "path": "/court"
}

and can:

see (read these addresses with the see tool):
- /court

summon (speak to these beings with the summon tool):
- @ann

You are the judge.

\\[Wake] is not a heading of mine.

[Wake]
kind: summon

[Time] 2026-01-01T00:00:00.000Z`

it('a prompt is divided into its parts, and a role cannot make another part', () => {
  expect(layersOf(SYSTEM).map(({ title }) => title)).toEqual([
    'Identity',
    'place',
    'Surface',
    'Role',
    'Wake',
    'Time',
  ])
  expect(layersOf(SYSTEM)[3]?.text).toBe('You are the judge.\n\n\\[Wake] is not a heading of mine.')
  expect(
    layersOf(SYSTEM)
      .map(({ text }) => text)
      .join('\n\n'),
  ).toBe(SYSTEM)
})

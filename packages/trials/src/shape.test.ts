import { describe, expect, it } from 'vitest'
import { checkTrial } from './shape.ts'

const fault = (file: object) => {
  const read = checkTrial({ trial: 1, candidates: { a: {} }, ...file })
  return 'fault' in read ? `${read.fault.path.join('.')}: ${read.fault.message}` : null
}

describe('the file of a trial', () => {
  it('takes what it leaves out from its defaults', () => {
    expect(checkTrial({ trial: 1, candidates: { a: { model: 'small' } } })).toEqual({
      value: {
        ...{ trial: 1, seed: 1, moments: { last: 200 }, scorers: {}, bars: [] },
        candidates: { a: { roles: [], flow: undefined, layout: undefined, model: { connection: 'small' } } },
      },
    })
  })

  it.each([
    [{ trial: 2 }, 'trial: takes 1, the version of this form, and not 2'],
    [{ candidates: {} }, 'candidates: takes a candidate or more'],
    [{ candidates: { recorded: {} } }, 'candidates.recorded: recorded names what was recorded'],
    [{ candidates: { a: { url: 'http://x' } } }, 'candidates.a: has no field "url"'],
    [{ candidates: { a: { model: { baseUrl: 'http://x' } } } }, 'candidates.a.model'],
    [{ candidates: { a: { roles: [{ name: 'No Name' }] } } }, 'candidates.a.roles.0: '],
    [{ candidates: { a: { flow: [{ roles: 1 }] } } }, 'candidates.a.flow: '],
    [{ candidates: { a: { layout: 'odd' } } }, 'candidates.a.layout: '],
    [{ moments: { last: 0 } }, 'moments.last: '],
    [{ moments: { since: 'yesterday' } }, 'moments.since: takes an instant'],
    [{ moments: { being: 'no stance' } }, 'moments.being'],
    [{ scorers: { s: {} } }, 'scorers.s: takes a module or a task'],
    [{ scorers: { s: { task: 'x' } } }, 'scorers.s: with a task takes a model, which judges'],
    [
      { scorers: { s: { module: 'x', against: 'b' } } },
      'scorers.s.against: takes recorded or a candidate: a, and not "b"',
    ],
    [{ bars: [{ metric: 'same' }] }, 'bars.0: takes atLeast or atMost'],
    [{ bars: [{ metric: 'speed', atLeast: 1 }] }, 'bars.0.metric: takes same, '],
    [
      { bars: [{ metric: 'scores.s', atLeast: 1 }] },
      'bars.0.metric: takes scores of no scorer, since there is none',
    ],
    [{ bars: [{ metric: 'same', candidate: 'b', atLeast: 1 }] }, 'bars.0.candidate: takes one of a'],
  ])('says of %j where and what is wrong', (file, said) => expect(fault(file)).toContain(said))
})

it.each([
  ['9007199254740993', 'an integer beyond 2^53 loses digits'],
  ['1e400', 'it is too large for a number of JSON'],
  ['-0', 'negative zero has no canonical form'],
  ['"a\\u0000"', 'a NUL character is refused'],
  ['"\\ud83d"', 'a lone surrogate cannot be stored as UTF-8'],
])('a trial with %s is refused by its place', (value, words) => {
  expect(checkTrial(JSON.parse(`{"candidates": [{"n": ${value}}]}`))).toEqual({
    fault: { path: [], message: expect.stringContaining(`$["candidates"][0]["n"]: ${words}`) },
  })
})

import { expect, it } from 'vitest'
import { decodeState } from './decode-state.ts'

it('gives the state of a text that was read before, and never that of another text', () => {
  const ann = decodeState('being:ann', '{"mood":{"tone":"calm"}}')
  expect(decodeState('being:ann', '{"mood":{"tone":"calm"}}')).toBe(ann)
  expect(decodeState('being:ann', '{"mood":{"tone":"dark"}}')).toEqual({ mood: { tone: 'dark' } })
  expect(decodeState('being:ann', '{"mood":{"tone":"calm"}}')).toEqual(ann)
  expect(() => Object.assign((ann as { mood: object }).mood, { tone: 'mine' })).toThrow(TypeError)
})

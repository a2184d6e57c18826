import { expect, it } from 'vitest'
import { sendsWords } from './sends-words.ts'

const enter = { key: 'Enter', shiftKey: false, isComposing: false, keyCode: 13 }

it.each([
  ['Enter', enter, true],
  ['Shift and Enter', { ...enter, shiftKey: true }, false],
  ['another key', { ...enter, key: 'a', keyCode: 65 }, false],
  ['Enter within a composition', { ...enter, isComposing: true, keyCode: 229 }, false],
  ['Enter that ends a composition in Chrome and Firefox', { ...enter, isComposing: true }, false],
  ['Enter that ends a composition in Safari', { ...enter, keyCode: 229 }, false],
  ['a key that a composition took', { ...enter, key: 'Process', keyCode: 229 }, false],
])('%s', (_what, press, sends) => expect(sendsWords(press)).toBe(sends))

import { expect, it } from 'vitest'
import { takesText } from './single-keys.ts'

it.each([
  [{ tagName: 'INPUT', type: 'text' }, true],
  [{ tagName: 'INPUT', type: 'search' }, true],
  [{ tagName: 'TEXTAREA', type: 'textarea' }, true],
  [{ tagName: 'INPUT', type: 'checkbox' }, false],
  [{ tagName: 'INPUT', type: 'radio' }, false],
  [{ tagName: 'BUTTON', type: 'button' }, false],
  [{ tagName: 'BODY' }, false],
])('a key that is pressed in %o is a letter: %s', (at, isLetter) => {
  expect(takesText(at as unknown as EventTarget)).toBe(isLetter)
})

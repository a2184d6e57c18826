import { expect, it } from 'vitest'
import { languageOf, localeOf } from './choice.ts'

it.each([
  { chosen: null, preferred: ['de-AT', 'en'], language: 'de' },
  { chosen: null, preferred: ['en-GB', 'de'], language: 'en' },
  { chosen: null, preferred: ['fr', 'de'], language: 'en' },
  { chosen: null, preferred: [], language: 'en' },
  { chosen: 'en', preferred: ['de'], language: 'en' },
  { chosen: 'de', preferred: ['en'], language: 'de' },
  { chosen: 'toString', preferred: ['de'], language: 'de' },
])('who chose $chosen in a browser of $preferred reads $language', ({ language, ...wishes }) => {
  expect(languageOf(wishes)).toBe(language)
})

it('numbers are written as in the country of the browser if it speaks the language', () => {
  expect(localeOf('de', ['en-US', 'de-AT'])).toBe('de-AT')
  expect(localeOf('de', ['en-US'])).toBe('de')
})

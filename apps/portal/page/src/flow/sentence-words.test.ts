import { expect, it } from 'vitest'
import { whenText } from './sentence-words.ts'
import { sentencesOf } from './sentences.ts'

it.each([
  [undefined, ''],
  [{ 'time.hour': { gte: 18 } }, 'time.hour is at least 18'],
  [{ verb: ['do', 'be'], 'world.hall.hush': true }, 'verb is one of do, be and world.hall.hush is true'],
  [{ 'world.x': { present: false } }, 'world.x is not there'],
  [{ or: [{ verb: 'do' }, { not: { inHomeSpace: true } }] }, '(verb is do or not (inHomeSpace is true))'],
  [{ 'world.x': { unknown: 1 } }, 'world.x …'],
])('says of %j: %s', (when, text) => {
  const [sentence] = sentencesOf([{ ...(when === undefined ? {} : { when }), role: 'worker' }])
  expect(whenText(sentence!)).toBe(text)
})

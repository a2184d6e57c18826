import { expect, it } from 'vitest'
import { questionsOf, SCENES } from './scenes.ts'

it('200 answers are of 200 different questions, as many of each scene', () => {
  const asked = SCENES.map((scene) => questionsOf(scene, 50).map(({ text }) => text))
  expect(asked.map(({ length }) => length)).toEqual([50, 50, 50, 50])
  expect(new Set(asked.flat()).size).toBe(200)
})

it('the first questions of each scene stay what they were', () => {
  for (const scene of SCENES) expect(questionsOf(scene, scene.questions.length)).toEqual(scene.questions)
})

it.each([
  ['What is seven and eight?', 'It is 15.', true],
  ['What is seven and eight?', 'Fifteen, as all know.', true],
  ['What is seven and eight?', 'It is 150.', false],
  ['Is there a title about waves?', 'Yes: On Tides.', true],
  ['Is there a title about waves?', 'Yes: Looms and Weavers.', false],
  ['Is there a title about wool?', 'Looms and Weavers.', true],
  ['How warm is it in Rome (41.9, 12.5)?', 'It is 6.4 degrees.', true],
  ['How warm is it in Rome (41.9, 12.5)?', 'It is 41.9 degrees.', false],
  ['How strong is the wind in Rome (41.9, 12.5)?', 'About 17.3 km/h.', true],
  ['Where are you?', 'In the court.', true],
])('the fact that %j asks for: %s', (text, reply, isRight) => {
  const question = SCENES.flatMap((scene) => questionsOf(scene, 50)).find((one) => one.text === text)
  expect(question?.fact?.test(reply)).toBe(isRight)
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validate } from './standard.ts'

const meal = z.strictObject({
  food: z.string().describe('what was eaten'),
  kcal: z.number().int(),
  course: z.enum(['main', 'sweet']),
  seats: z.array(z.object({ row: z.number() })).optional(),
})
const plain = { food: 'soup', kcal: 3, course: 'main' }

describe('an error of a schema says what is at fault', () => {
  it.each([
    [{ ...plain, food: undefined }, 'log: food is missing; it takes a text (what was eaten)'],
    [{ food: 'soup', course: 'main' }, 'log: kcal is missing; it takes a whole number'],
    [{ food: 'soup', kcal: 3 }, 'log: course is missing; it takes one of main, sweet'],
    [{ ...plain, seats: [{}] }, 'log: seats.0.row is missing; it takes a number'],
    [{ ...plain, kcal: 'many' }, 'log: kcal is "many": Invalid input: expected number, received string'],
    [
      { ...plain, seats: [{ row: 'x' }] },
      'log: seats.0.row is "x": Invalid input: expected number, received string',
    ],
    [{ ...plain, wine: 1 }, 'log: Unrecognized key: "wine"'],
  ])('%j gives: %s', async (given, message) => {
    await expect(validate('log', meal, given)).rejects.toMatchObject({ code: 'INVALID_INPUT', message })
  })

  it('names all that is missing', async () => {
    await expect(validate('log', meal, {})).rejects.toThrow(
      'log: food is missing; it takes a text (what was eaten); kcal is missing; it takes a whole number; course is missing; it takes one of main, sweet',
    )
  })
})

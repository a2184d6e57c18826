import { rowKeyOf } from '../rows/evolve.ts'
import { marksFor, marksOf } from '../rows/origin.ts'
import type { Act, ActInputs } from './act-inputs.ts'

/**
 * Whether what an operation writes and says may hold words from outside: its moment holds some, its effect
 * brought some, or it has read some to decide. A person that decides chooses its own words, but what an
 * effect brings it does not choose.
 */
export const spreadsOutside = (
  { fromOutside, reader, caller }: Pick<ActInputs, 'fromOutside' | 'reader' | 'caller'>,
  hasEffect: boolean,
): boolean => fromOutside || hasEffect || (caller.cognition !== 'human' && reader.hasOutside)

/**
 * Marks what an act wrote and sends, where it may hold words from outside. Rows that are marked as a
 * whole get no second mark.
 */
export async function withOrigin(
  act: Act,
  { fromOutside, reader }: Pick<ActInputs, 'fromOutside' | 'reader'>,
): Promise<Act> {
  if (!fromOutside && act.fromOutside !== true) return act
  const marks = []
  for (const mark of marksFor(act.facts)) {
    const key = rowKeyOf(mark)
    await reader.prefetch([key ?? mark.reel]) // the append checks the head of what it writes
    if (key === null || marksOf(await reader.row(key)) !== true) marks.push(mark)
  }
  return {
    ...act,
    facts: [...act.facts, ...marks],
    wakes: act.wakes.map((wake) => ({ ...wake, outside: true })),
    fromOutside: true,
  }
}

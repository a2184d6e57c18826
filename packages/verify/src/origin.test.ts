import { expect, it } from 'vitest'
import { MomentReads } from './moment-reads.ts'
import { faultsOfOrigin, holdsOutside, Origins } from './origin.ts'

/**
 * What a bundle finds wrong with the origin of a moment that recalled acts with words from outside, and read
 * nothing else of the kind.
 */
function faultsAfterRecall(cognition: string, isOutside: boolean): string[] {
  const noted = { aside: { past: { facts: [], earlier: 0, outside: true } } }
  const program = { flow: [], defaultRole: 'resident', roles: {} }
  const wake = { id: 'one', kind: 'event' }
  const open = { wake, cognition: { kind: cognition }, ...(isOutside ? { outside: true } : {}) }
  const record = { being: 'ann', moment: 'ann/1/1', stack: null, facts: [] }
  const reads = new MomentReads(record, open, { place: null, program, noted, specOf: () => undefined })
  const shown = { origins: new Origins(), isWhole: () => true, program, noted, reads }
  const moment = { record, open }
  const found = holdsOutside(open, [['being:ann', 0, '']], shown)
  return [...faultsOfOrigin(moment, shown, found)].map(([reason]) => reason)
}

it.each([
  { cognition: 'llm', due: true },
  { cognition: 'human', due: false },
])(
  'of recalled words from outside a moment of cognition $cognition says that it holds them: $due',
  ({ cognition, due }) => {
    expect(faultsAfterRecall(cognition, due)).toEqual([])
    expect(faultsAfterRecall(cognition, !due)).toEqual(['origin-mismatch'])
  },
)

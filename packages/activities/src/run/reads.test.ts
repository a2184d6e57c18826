import { ReadSet } from '@treeos/store'
import { expect, it } from 'vitest'
import { Reads } from './reads.ts'

function readsOf(being: string): ReadSet {
  const reads = new ReadSet()
  for (const key of [`being:${being}`, `moments:${being}`, 'space:/', 'being:caller']) reads.keys.add(key)
  reads.list({ place: '/', kind: 'being:', most: 200 })
  reads.list({ place: `@${being}`, kind: 'matter:', most: null })
  reads.parents.add(being)
  reads.asides.add('said')
  return reads
}

it('a being that was not seen reading is expected to read what the last one read, as itself', () => {
  const reads = new Reads()
  expect(reads.expect('bob')).toEqual(new ReadSet())
  reads.remember('eve', new ReadSet())
  reads.remember('ada', readsOf('ada'))
  expect(reads.expect('bob')).toEqual(readsOf('bob'))
})

it('a being that was seen is expected to read what it read, and the caller may add to that', () => {
  const reads = new Reads()
  reads.remember('ada', readsOf('ada'))
  reads.remember('bob', new ReadSet())
  reads.expect('ada').keys.add('world:drum')
  expect(reads.expect('ada')).toEqual(readsOf('ada'))
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { positionIn } from './position.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-position-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'traces.json')

it('is kept, and begins where it was told when there is no file', () => {
  const position = positionIn(file, 'r-1', 5)
  expect(position.entry).toBe(5)
  position.keep(9)
  expect(positionIn(file, 'r-1', 0).entry).toBe(9)
})

it('of another reality is refused, and says which', () => {
  expect(() => positionIn(file, 'r-2', 0)).toThrow(/another reality, r-1: name another file/)
})

it.each(['', '{}', '{"reality":"r-1","entry":-1}', '{"reality":"r-1","entry":1.5}', 'x'])(
  'that is damaged is refused: %s',
  (text) => {
    const damaged = join(folder, 'damaged.json')
    writeFileSync(damaged, text)
    expect(() => positionIn(damaged, 'r-1', 0)).toThrow(/holds no position of traces: delete it/)
    expect(readFileSync(damaged, 'utf8')).toBe(text)
  },
)

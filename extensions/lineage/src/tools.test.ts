import { being, decide } from '@treeos/sdk/testing'
import { describe, expect, it } from 'vitest'
import { defineLineage } from './index.ts'

const lineage = defineLineage()
const ann = being({ name: 'ann' })
const write = (path: string) =>
  decide(lineage, 'lineage:write-file', { actor: ann, target: ann, args: { path, text: 'x' } })
const read = (path: string) =>
  decide(lineage, 'lineage:read-file', { actor: ann, target: ann, args: { path } })

describe('a path', () => {
  it.each([
    '../operator/SOUL.md',
    '..',
    '.',
    './a',
    'a/../b',
    'a/./b',
    'a/..',
    '/etc/passwd',
    'C:\\a',
    'a\\..\\b',
    'a\0b',
    'a\n',
    'a b',
    '~/a',
    '@mark/a',
    '%2e%2e/a',
    '\u2024\u2024/a', // dots of another kind
    '\uff0e\uff0e/a',
    'x'.repeat(121),
    '',
  ])('that may lead elsewhere is refused: %j', async (path) => {
    for (const use of [write, read]) await expect(use(path)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it.each(['a', 'a/b.md', '..a/b..', '.hidden', 'A-b_c.1', 'x'.repeat(120)])(
    'a control: %j is one',
    async (path) => {
      expect((await write(path)).result).toEqual({ path, characters: 1 })
      await expect(read(path)).rejects.toMatchObject({ code: 'MATTER_NOT_FOUND' })
    },
  )
})

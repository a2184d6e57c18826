import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/packages.ts'
import { releasedVersion, STATED, withVersion } from '../../scripts/versions.ts'

it.each(STATED)(
  '$file states the version of the packages: `node scripts/versions.ts` writes it',
  ({ file, before }) => {
    const text = readFileSync(join(root, file), 'utf8')
    expect(withVersion(text, before, releasedVersion())).toBe(text)
    expect(withVersion(text, before, '1.2.3-next.4')).toContain('1.2.3-next.4')
  },
)

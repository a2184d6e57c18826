import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadEnvironment } from './environment.ts'

it('adds what .env says, but for what is set and what is empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-env-'))
  const env: NodeJS.ProcessEnv = { TREEOS_MODEL: 'mine' }
  writeFileSync(
    join(folder, '.env'),
    '# a comment\nTREEOS_MODEL=other\nOPENAI_BASE_URL=\nTREEOS_TIME_ZONE="Europe/Berlin"\n',
  )
  loadEnvironment(env, join(folder, '.env'))
  loadEnvironment(env, join(folder, 'none'))
  expect(env).toEqual({ TREEOS_MODEL: 'mine', TREEOS_TIME_ZONE: 'Europe/Berlin' })
  rmSync(folder, { recursive: true })
})

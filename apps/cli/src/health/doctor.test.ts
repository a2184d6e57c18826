import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordService } from '@treeos/local'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { programName } from '../text/program-name.ts'
import { examine } from './doctor.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'treeos-doctor-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const env = {
  PATH: '',
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  OPENAI_API_KEY: 'none',
  TREEOS_MODEL: 'owl',
}
const checkNames = ['temporal guard', 'task queue']

it('examines neither the guard of Temporal nor the task queue where no Temporal was started', async () => {
  const { checks } = await examine(dataDir, env)
  expect(checks.filter(({ name }) => checkNames.includes(name))).toEqual([])
})

it('says that it could not check the guard of Temporal and the task queue, and why', async () => {
  const ended = { pid: 999_999_999, startedAt: 'before the reboot' }
  await recordService(dataDir, { name: 'temporal', process: ended, address: '127.0.0.1:9' })
  const { checks } = await examine(dataDir, env)
  const mend = `repair what the other checks name, then ${programName()} doctor again`
  expect(checks.filter(({ name }) => checkNames.includes(name))).toEqual([
    {
      name: 'temporal guard',
      ok: false,
      optional: true,
      found: expect.stringContaining('could not be checked: Temporal at 127.0.0.1:9 has ended'),
      mend,
    },
    {
      name: 'task queue',
      ok: false,
      optional: true,
      found: expect.stringContaining('could not be checked: no instance of TreeOS runs in'),
      mend,
    },
  ])
})

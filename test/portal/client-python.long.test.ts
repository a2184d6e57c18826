/** The client for Python, against a portal. It needs Python's own library alone. */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { act, issueToken, moments } from '@treeos/client'
import { expect, it } from 'vitest'
import { PortalWorld } from '../support/portal.ts'

const SCRIPT = join(import.meta.dirname, 'client.py')
const isThere = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

it.skipIf(!isThere)(
  'the client in Python calls the verbs, reads lists to their end and follows the journal',
  async () => {
    const at = await PortalWorld.start()
    const asAda = { ...at.world, person: 'ada' }
    for (let i = 0; i < 55; i++) await act(asAda, 'ada', { verb: 'see', address: '/' })
    const { secret } = await issueToken(asAda, { being: 'ada', as: 'ada' })
    const env = { ...process.env, TREEOS_URL: at.origin, TREEOS_TOKEN: secret, TREEOS_AFTER: '1' }
    const { stdout } = await promisify(execFile)('python3', [SCRIPT], { env, timeout: 60_000 })
    const count = (await moments(at.world.db, 'ada')).length
    expect(JSON.parse(stdout)).toEqual({
      me: '@ada',
      see: '/library',
      repeated: true,
      born: expect.objectContaining({ being: 'pip' }),
      reply: { from: '@pip', content: 'hello' },
      refused: { code: 'ACTION_NOT_SUPPORTED', status: 404, says: expect.stringContaining('no-such') },
      moments: Array.from({ length: count }, (_, i) => count - i),
      inbox: [],
      thread: expect.any(Array),
      journal: expect.arrayContaining(['fact']),
    })
    await at.close()
  },
)

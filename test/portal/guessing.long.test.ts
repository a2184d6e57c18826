/**
 * Attempts to guess a password: by the time of an answer, by many requests at once, and at several portals.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD, PortalWorld, portalUrlOf } from '../support/portal.ts'

let at: PortalWorld
beforeAll(async () => {
  at = await PortalWorld.start()
  await at.enter('ada')
})
afterAll(() => at?.close())
beforeEach(() => sql`delete from portal.throttle`.execute(at.world.owner))

const signIn = (name: string, password: string) => at.post(null, '/api/open/sign-in', { name, password })
const signInFrom = (from: string) =>
  at.post(null, '/api/open/sign-in', { name: 'ada', password: PASSWORD }, { from })

/** Guesses a password in another process, as another portal does. @returns the code of each answer */
async function guessElsewhere(
  url: string,
  { address, count }: { address: string; count: number },
): Promise<string[]> {
  const source = (file: string) => JSON.stringify(join(import.meta.dirname, '../..', file))
  const code = `
    const { checkPassword } = await import(${source('apps/portal/src/accounts/check-password.ts')})
    const { portalOf } = await import(${source('apps/portal/src/store/schema.ts')})
    const { openDatabase } = await import(${source('packages/store/src/index.ts')})
    const db = openDatabase(${JSON.stringify(url)}, { poolMax: 1 })
    const codes = []
    for (let i = 0; i < ${count}; i++) {
      const tried = { name: 'ada', password: process.pid + ' guesses ' + i }
      const from = { address: ${JSON.stringify(address)}, device: undefined }
      await checkPassword(portalOf(db), tried, from).catch(({ code }) => codes.push(code))
    }
    await db.destroy()
    console.log(JSON.stringify(codes))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  return JSON.parse(stdout)
}

it('a password takes as long for an unknown name as for a wrong password', async () => {
  const timed = async (name: string) => {
    const startedAt = performance.now()
    await signIn(name, 'not the password')
    return performance.now() - startedAt
  }
  const pairs: number[] = []
  for (let i = 0; i < 4; i++) pairs.push((await timed('ada')) / (await timed(`nobody-${i}`)))
  const median = pairs.sort((a, b) => a - b)[1] ?? 0
  expect(median).toBeGreaterThan(0.4)
  expect(median).toBeLessThan(2.5)
})

it('a password cannot be guessed by many at once', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => signIn('ada', `guess number ${i}`)))
  expect(answers.filter(({ status }) => status === 200)).toEqual([])
  expect((await signIn('ada', PASSWORD)).status).toBe(429)
})

it('a password that is guessed is counted together by all portals, each a process of its own', async () => {
  const from = '127.0.0.9'
  const alone = await guessElsewhere(portalUrlOf(at.world), { address: from, count: 3 })
  expect(alone).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED', 'UNAUTHORIZED'])
  const others = [1, 2].map(() => guessElsewhere(portalUrlOf(at.world), { address: from, count: 3 }))
  const codes = (await Promise.all(others)).flat()
  expect(codes).toContain('RATE_LIMITED') // of one process, three are not too many
  expect((await signInFrom(from)).status).toBe(429)
  expect((await signInFrom('127.0.0.3')).status).toBe(200)
})

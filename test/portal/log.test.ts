/**
 * Auditors ask the portal for checkpoints, without signing in, and hold each against the one that they kept.
 */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logOrigin, makeCheckpoint, readKeys, Signer, verifierKeyOf } from '@treeos/proofs'
import { parseKey, verifyFollows } from '@treeos/verify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tamper } from '../store/tampered-chains.ts'
import { publish } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'

let at: PortalWorld
let signer: Signer
const secret = mkdtempSync(join(tmpdir(), 'treeos-log-'))
beforeAll(async () => {
  at = await PortalWorld.start()
  const origin = logOrigin(at.world.reality.id)
  const [keyFile, lastFile] = [join(secret, 'key'), join(secret, 'last.json')]
  signer = new Signer({ origin, keyFile, lastFile, folder: at.checkpoints })
})
afterAll(async () => {
  await at?.close()
  rmSync(secret, { recursive: true })
})

const ask = (path: string) => at.ask(null, `/api/open/log/${path}`)
const key = () => parseKey(verifierKeyOf(readKeys(at.checkpoints)[0]!))
const sizeOf = (note: string) => Number(note.split('\n')[1])

it('a portal whose instance signs nothing says so', async () => {
  expect(await ask('checkpoint')).toMatchObject({ json: { code: 'ACTION_NOT_SUPPORTED' } })
})

it('the newest checkpoint, and the proof that it goes on from an older one, need no sign-in', async () => {
  await makeCheckpoint(at.world.owner, signer)
  const kept = (await ask('checkpoint')).text
  expect(kept.split('\n')[0]).toBe(logOrigin(at.world.reality.id))
  await publish(at.world, 'log.value', 1)
  await makeCheckpoint(at.world.owner, signer)
  const { status, text } = await ask(`consistency?from=${sizeOf(kept)}`)
  expect(status).toBe(200)
  const followed = verifyFollows(kept, text, { key: key() })
  expect(followed).toMatchObject({ ok: true, older: sizeOf(kept) })
  expect(followed.newer).toBeGreaterThan(sizeOf(kept))
  expect((await ask('checkpoint')).text).toBe(JSON.parse(text).note)
})

it('they tell sizes and hashes, and nothing of who there is or what was said', async () => {
  const { json, text } = await ask('consistency?from=3')
  expect(Object.keys(json)).toEqual(['from', 'size', 'path', 'note'])
  for (const hash of json.path) expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(text).not.toMatch(/"ada"|@ada|operator|being:/) // not ada alone: hashes are hex
})

it.each(['-1', '1.5', '1e3', '', 'x', '999999999'])('a proof from %j is refused', async (from) => {
  expect(await ask(`consistency?from=${from}`)).toMatchObject({
    status: 400,
    json: { code: 'INVALID_INPUT' },
  })
})

it('an owner of the database who rewrites the log finds no proof that goes on from what the auditor kept', async () => {
  const kept = (await ask('checkpoint')).text
  const size = sizeOf(kept)
  expect(size).toBeLessThan(256) // the log is one tile
  // The log is made again with one entry changed, and signed by somebody who has the key and no memory of
  // what was signed.
  await tamper(
    at.world,
    `update treeos.log_tile set hashes = overlay(hashes placing sha256('forged') from 1 for 32) where level = 0 and index = 0`,
  )
  await publish(at.world, 'log.value', 2)
  expect(await makeCheckpoint(at.world.owner, signer)).toMatchObject({
    status: 'refused',
    why: 'inconsistent',
  })
  const [origin, keyFile] = [logOrigin(at.world.reality.id), join(secret, 'key')]
  const other = { origin, keyFile, lastFile: join(secret, 'other.json'), folder: join(secret, 'other') }
  await makeCheckpoint(at.world.owner, new Signer(other))
  for (const book of readdirSync(other.folder).filter((name) => name.endsWith('.notes')))
    appendFileSync(join(at.checkpoints, book), readFileSync(join(other.folder, book)))
  const { text } = await ask(`consistency?from=${size}`)
  expect(verifyFollows(kept, text, { key: key() })).toMatchObject({
    ok: false,
    broken: expect.stringContaining('nothing proves'),
  })
})

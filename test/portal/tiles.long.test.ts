/** A monitor outside follows the log by the tiles that the portal serves, without signing in. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logOrigin, makeCheckpoint, Signer } from '@treeos/proofs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publish } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'

let at: PortalWorld
let signer: Signer
const secret = mkdtempSync(join(tmpdir(), 'treeos-tiles-'))
beforeAll(async () => {
  at = await PortalWorld.start()
  const origin = logOrigin(at.world.reality.id)
  const [keyFile, lastFile] = [join(secret, 'key'), join(secret, 'last.json')]
  signer = new Signer({ origin, keyFile, lastFile, folder: at.checkpoints })
  await makeCheckpoint(at.world.owner, signer)
})
afterAll(async () => {
  await at?.close()
  rmSync(secret, { recursive: true })
})

async function tile(path: string): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const response = await fetch(`${at.origin}/api/open/log/tile/${path}`)
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}
async function newest(): Promise<{ readonly size: number; readonly root: string | undefined }> {
  const [, size, root] = (await at.ask(null, '/api/open/log/checkpoint')).text.split('\n')
  return { size: Number(size), root }
}
const hashesIn = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 32 }, (_, i) => bytes.subarray(32 * i, 32 * i + 32))
/** RFC 6962, 2.1, written anew. */
function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0]!
  const half = 2 ** Math.floor(Math.log2(hashes.length - 1))
  const sides = [rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half))]
  return createHash('sha256')
    .update(Buffer.concat([Buffer.of(1), ...sides]))
    .digest()
}

it('a tile gives the root of the checkpoint, and holds hashes alone', async () => {
  const { size, root } = await newest()
  expect(size).toBeLessThan(256) // the log is one tile
  const { status, bytes } = await tile(`0/000.p/${size}`)
  expect([status, bytes.length]).toEqual([200, 32 * size])
  expect(rootOf(hashesIn(bytes)).toString('base64')).toBe(root)
  expect((await tile('0/000.p/2')).bytes).toEqual(bytes.subarray(0, 64))
  expect((await tile('0/000')).status).toBe(404)
  expect((await tile(`0/000.p/${size + 1}`)).status).toBe(404)
})

it('what is not signed yet is not served', async () => {
  const { size } = await newest()
  await publish(at.world, 'log.value', 1)
  await makeCheckpoint(at.world.owner, new Signer({ ...place(), folder: join(secret, 'elsewhere') }))
  expect((await tile(`0/000.p/${size}`)).status).toBe(200)
  expect((await tile(`0/000.p/${size + 1}`)).status).toBe(404)
})
const place = () => ({
  origin: logOrigin(at.world.reality.id),
  keyFile: join(secret, 'other'),
  lastFile: join(secret, 'other.json'),
})

it('full tiles stand without a width, and above them those of the next level', async () => {
  for (let i = 0, size = 0; size < 520; { size } = await newest()) {
    await Promise.all(Array.from({ length: 20 }, () => publish(at.world, 'log.value', i++)))
    await makeCheckpoint(at.world.owner, signer)
  }
  const { size, root } = await newest()
  const leaves = await Promise.all([tile('0/000'), tile('0/001'), tile(`0/002.p/${size - 512}`)])
  expect(leaves.map(({ status }) => status)).toEqual([200, 200, 200])
  const all = leaves.flatMap(({ bytes }) => hashesIn(bytes))
  expect(rootOf(all).toString('base64')).toBe(root)
  const above = await tile('1/000.p/2')
  expect(hashesIn(above.bytes)).toEqual([rootOf(all.slice(0, 256)), rootOf(all.slice(256, 512))])
})

it.each([
  ...['0/000.p/256', '0/000.p/0', '0/0', '0/x000/000', '00/000', '0/999', '0/002', '9/000.p/1'],
  ...['entries/000', '0/000.p/1/2', '-1/000', '0/x999/x999/x999/x999/x999/999'],
])('%s is no tile', async (path) => {
  expect((await tile(path)).status).toBe(404)
})

import { TreeosError } from '@treeos/core'
import { readConsistencyProof, readTile } from '@treeos/proofs'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Machine, SignedCheckpointNote } from '../machine.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

const size = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, 'is the size of a checkpoint')
  .transform(Number)

const cosigned = z.literal('1', 'is 1 or left out').optional()

/**
 * Where a tile is: its level, its index in groups of three digits, and the number of hashes of one that is
 * not full.
 */
const TILE = /^\/tile\/(0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/
const TILE_WIDTH = 256

/**
 * The log of the reality, for whoever audits it: no sign-in. Checkpoints, proofs and tiles hold sizes and
 * hashes, and nothing of what was said or who there is. The entries of the log name beings, so C2SP
 * tlog-tiles' bundles of entries are not served.
 */
export const logRoutes = ({ at, machine }: Portal) =>
  new Hono<Env>()
    .get('/checkpoint', async (c) => c.text((await newest(machine)).note))
    .get('/cosigned', async (c) => c.text((await newestCosigned(machine)).note))
    .get('/consistency', input('query', z.object({ from: size, cosigned })), async (c) => {
      const { from, cosigned } = c.req.valid('query')
      const { note, size } = await (cosigned === undefined ? newest(machine) : newestCosigned(machine))
      if (from > size)
        throw new TreeosError(
          'INVALID_INPUT',
          `from: the newest checkpoint is over ${size} entries, not ${from}`,
        )
      const proof = await readConsistencyProof(at.db, from, size)
      return c.json({ from, size, path: proof.map((hash) => hash.toString('hex')), note })
    })
    .get('/tile/*', async (c) => {
      const [, level, path = '', width] = TILE.exec(c.req.path.slice(c.req.path.indexOf('/tile/'))) ?? []
      const count = width === undefined ? TILE_WIDTH : Number(width)
      const index = Number(path.replaceAll(/[x/]/g, ''))
      // Only what is signed: nobody vouches for what comes later.
      const { size } = level === undefined ? { size: 0 } : await newest(machine)
      const signed = Math.floor(size / TILE_WIDTH ** Number(level ?? 0)) - index * TILE_WIDTH
      const isOne = path.startsWith('x000') === false && Number.isSafeInteger(index) && count <= signed
      const isPartial = width === undefined || count < TILE_WIDTH
      const hashes = isOne && isPartial ? await readTile(at.db, { level: Number(level), index }) : null
      if (hashes === null || hashes.length < 32 * count)
        throw new TreeosError('ACTION_NOT_SUPPORTED', 'the log has no such tile')
      c.header('content-type', 'application/octet-stream')
      return c.body(new Uint8Array(hashes.subarray(0, 32 * count)))
    })

/** @throws {TreeosError} ACTION_NOT_SUPPORTED where no witness cosigned anything */
async function newestCosigned(machine: Machine): Promise<SignedCheckpointNote> {
  const found = await machine.cosigned()
  if (found !== null) return found
  throw new TreeosError('ACTION_NOT_SUPPORTED', 'this instance has no checkpoint that witnesses cosigned')
}

/** @throws {TreeosError} ACTION_NOT_SUPPORTED where nobody signs */
async function newest(machine: Machine): Promise<SignedCheckpointNote> {
  const found = await machine.checkpoint()
  if (found !== null) return found
  throw new TreeosError('ACTION_NOT_SUPPORTED', 'this instance has no checkpoint')
}

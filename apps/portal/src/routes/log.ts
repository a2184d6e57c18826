import { TreeosError } from '@treeos/core'
import { readConsistencyProof } from '@treeos/proofs'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Checkpointed, Machine } from '../machine.ts'
import type { Env, Portal } from '../portal.ts'
import { input } from './input.ts'

const size = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, 'is the size of a checkpoint')
  .transform(Number)

/**
 * The log of the reality, for whoever audits it: no sign-in. A checkpoint and a proof hold sizes and hashes, and nothing of what
 * was said or who there is.
 */
export const logRoutes = ({ at, machine }: Portal) =>
  new Hono<Env>()
    .get('/checkpoint', async (c) => c.text((await newest(machine)).note))
    .get('/consistency', input('query', z.object({ from: size })), async (c) => {
      const { from } = c.req.valid('query')
      const { note, size } = await newest(machine)
      if (from > size)
        throw new TreeosError(
          'INVALID_INPUT',
          `from: the newest checkpoint is over ${size} entries, not ${from}`,
        )
      const proof = await readConsistencyProof(at.db, from, size)
      return c.json({ from, size, path: proof.map((hash) => hash.toString('hex')), note })
    })

/** @throws {TreeosError} ACTION_NOT_SUPPORTED where nobody signs */
async function newest(machine: Machine): Promise<Checkpointed> {
  const found = await machine.checkpoint()
  if (found !== null) return found
  throw new TreeosError('ACTION_NOT_SUPPORTED', 'this instance has no checkpoint')
}

/** Receipts of many moments at once: a call that was refused, however it was, keeps no other from its receipt. */
import type { JsonObject } from '@treeos/core'
import { issueReceipts } from '@treeos/proofs'
import { parseKey, verifyReceipts } from '@treeos/verify'
import { buildRegistry, seed } from '@treeos/world'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, play } from '../support/life.ts'
import { naiveLog, newLogKey } from '../support/naive-log.ts'
import { stage } from '../support/puppet.ts'
import { useWorld } from '../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

const CALLS: readonly JsonObject[] = [
  { verb: 'see', address: '/den' },
  { verb: 'do', operation: 'no-such-thing', target: '/den', args: {} },
  { verb: 'do', operation: 'none:at-all', target: '@ann', args: {} },
  { verb: 'do', operation: 'move', target: '/nowhere', args: {} },
  { verb: 'do', operation: 'move', target: '@nobody', args: {} },
  { verb: 'do', operation: 'take', target: 'matter:none', args: {} },
  { verb: 'do', operation: 'create-space', target: '/den', args: { path: 7 } },
  { verb: 'do', operation: 'end-being', target: '@operator', args: {} },
  { verb: 'do', operation: 'set-space', target: '@ann', args: { field: 'mood', value: 1 } },
  { verb: 'summon', target: '@nobody', content: 'hello', inReplyTo: null },
  { verb: 'summon', target: '@operator', content: 'again', inReplyTo: 'none/1/1' },
  { verb: 'summon', target: '@operator', content: 'as', inReplyTo: null, role: 'nothing' },
  { verb: 'be', operation: 'birth', args: { name: 'ann' } },
  { verb: 'be', operation: 'no-such-birth', args: {} },
  { verb: 'see', address: 'thread:none' },
  { verb: 'see', address: '@nobody' },
  { verb: 'see', addresses: ['/den', '/none'] },
  { verb: 'summon', target: '@operator', content: 'all is done', inReplyTo: null },
]

beforeAll(async () => {
  await world.birthPuppet('ann')
  await createSpace(world, '/den')
  for (const call of CALLS) await play(world, 'ann', call)
})

it(`gives a receipt, or says why there is none, of each of ${CALLS.length} calls, and each receipt holds`, async () => {
  const key = newLogKey(world.reality)
  const at = { db: world.db, reality: world.reality, registry: buildRegistry([seed, stage]) }
  const lived = await world.db
    .selectFrom('moment_outcome')
    .select('moment')
    .where('being', '=', 'ann')
    .orderBy('n')
    .execute()
  const made = await issueReceipts(
    at,
    lived.map(({ moment }) => moment),
    { signer: key, log: await naiveLog(world.db, key) },
  )
  expect(made).toHaveLength(lived.length)
  const [envelopes, reasons] = [
    made.filter((one) => !(one instanceof Error)),
    made.filter((one) => one instanceof Error),
  ]
  for (const { message } of reasons) expect(message).toMatch(/ann\/1\/\d+/)
  const text = envelopes.map((one) => JSON.stringify(one)).join('\n')
  const { receipts } = await verifyReceipts(text, { key: parseKey(key.verifier) })
  expect(receipts.map(({ broken }) => broken)).toEqual(envelopes.map(() => []))
  expect(receipts.map(({ derived }) => derived?.verdict)).toContain('seen-to-run') // control
  expect(receipts.filter(({ derived }) => derived?.outcome !== 'act').length).toBeGreaterThan(0)
})

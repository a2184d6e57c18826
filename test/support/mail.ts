/**
 * An extension that posts letters to the office at `TREEOS_TEST_OFFICE`. Worker processes load it by its
 * path.
 */
import { fileURLToPath } from 'node:url'
import { TreeosError } from '@treeos/core'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { z } from 'zod'

export const MAIL_PATH = fileURLToPath(import.meta.url)

const posting = (name: string, bounds: { timeoutSeconds: number; attempts: number }) =>
  defineOperation({
    name,
    description: 'Posts a letter.',
    on: 'being',
    allow: ['self'],
    args: z.object({ text: z.string().min(1).max(100).describe('what the mail says') }),
    effect: {
      ...bounds,
      async perform({ args, key, signal }) {
        const headers = { 'idempotency-key': key }
        const office = process.env.TREEOS_TEST_OFFICE ?? ''
        const answer = await fetch(office, { method: 'POST', body: args.text, headers, signal })
        if (answer.status === 422) throw new TreeosError('INVALID_INPUT', 'the office takes no such letter')
        if (!answer.ok) throw new Error(`the office says ${answer.status}`)
        return (await answer.json()) as { receipt: string }
      },
    },
    decide: ({ actor, args, effect }) => ({
      facts: [setQuality(actor, 'mail.last', args.text), setQuality(actor, 'mail.receipt', effect.receipt)],
      result: effect,
    }),
  })

export default defineExtension({
  name: 'mail',
  version: '1.0.0',
  operations: [
    posting('mail:post', { timeoutSeconds: 2, attempts: 3 }),
    posting('mail:post-once', { timeoutSeconds: 60, attempts: 1 }),
    // More attempts than any trial uses up.
    posting('mail:post-surely', { timeoutSeconds: 60, attempts: 10 }),
  ],
})

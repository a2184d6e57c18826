import { defineExtension, defineOperation, perform, setQuality } from '@treeos/sdk'
import { z } from 'zod'

/** Pays out of the till of a space. */
const pay = defineOperation({
  name: 'till:pay',
  description: 'Pays.',
  on: 'space',
  allow: ['anyone'],
  args: z.strictObject({ euros: z.int().min(1).max(500).describe('how much') }),
  decide: ({ target, args }) => ({
    facts: [setQuality(target, 'till.paid', args)],
    result: { paid: args.euros },
  }),
})

/** Sends a payment out of the house, if the till has not paid the same before. Its makers are asked first. */
const send = defineOperation({
  name: 'till:send',
  description: 'Sends a payment.',
  on: 'space',
  allow: ['anyone'],
  ask: { who: ['parent'], within: 600 },
  args: z.strictObject({ euros: z.int().min(1).describe('how much') }),
  allowIf: ({ target, args }) =>
    (target.qualities.till as { sent?: unknown } | undefined)?.sent !== args.euros || 'it was sent before',
  effect: {
    timeoutSeconds: 5,
    attempts: 1,
    async perform({ args }) {
      sent.push(args.euros)
      return args.euros
    },
  },
  decide: ({ target, args }) => ({
    facts: [setQuality(target, 'till.sent', args.euros)],
    result: { sent: args.euros },
  }),
})

/** What was sent outside, in order. */
export const sent: number[] = []
/** Runs while something is sent. */
export const meanwhile = { run: async (): Promise<unknown> => undefined }

/** Sends a payment out of the house, and asks nobody by itself. */
const wire = defineOperation({
  name: 'till:wire',
  description: 'Wires a payment.',
  on: 'space',
  allow: ['anyone'],
  args: z.strictObject({ euros: z.int().min(1).describe('how much') }),
  effect: {
    timeoutSeconds: 20,
    attempts: 1,
    async perform({ args, key }) {
      sent.push(args.euros)
      keys.push(key)
      await meanwhile.run()
      return args.euros
    },
  },
  decide: ({ target, args }) => ({
    facts: [setQuality(target, 'till.wired', args.euros)],
    result: { sent: args.euros },
  }),
})

/** Under which keys. */
export const keys: string[] = []

/** A till that is paid from: what persons are asked about in tests. */
export default defineExtension({
  name: 'till',
  version: '1.0.0',
  operations: [pay, send, wire],
  scripts: {
    /** pays, and asks again whatever the answer is */
    'till:stubborn': () => perform('till:pay', '/shop', { euros: 1 }),
  },
})

/**
 * An extension that holds up the worker which loads it: its effects block the event loop. Worker processes
 * load it by its path.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { z } from 'zod'

export const HEAVY_PATH = import.meta.filename

const blocking = (name: string, timeoutSeconds: number) =>
  defineOperation({
    name,
    description: 'Computes for a while and lets nothing else happen meanwhile.',
    on: 'being',
    allow: ['self'],
    args: z.object({
      text: z.string().max(100).describe('the text'),
      seconds: z.number().positive().max(60).describe('how long it takes'),
    }),
    effect: {
      timeoutSeconds,
      attempts: 1,
      async perform({ args }) {
        await sleep(1) // so that it blocks after the attempt has begun
        for (const until = performance.now() + 1000 * args.seconds; performance.now() < until; );
        return { blocked: args.seconds }
      },
    },
    decide: ({ actor, args, effect }) => ({
      facts: [setQuality(actor, 'heavy.last', args.text)],
      result: effect,
    }),
  })

export default defineExtension({
  name: 'heavy',
  version: '1.0.0',
  operations: [blocking('heavy:block', 2), blocking('heavy:block-patiently', 120)],
})

import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
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

/** A till that is paid from: what persons are asked about in tests. */
export default defineExtension({ name: 'till', version: '1.0.0', operations: [pay] })

/**
 * 2. An operation: a pure function from an actor, a target and arguments to facts. Pure, no services.
 *   node examples/02-operation.ts
 */
import { defineExtension, defineOperation, publishSignal, setQuality, TreeosError } from '@treeos/sdk'
import { being, decide, space } from '@treeos/sdk/testing'
import { z } from 'zod'

const water = defineOperation({
  name: 'garden:water',
  description: 'Waters a bed.',
  on: 'space',
  allow: ['anyone'],
  args: z.strictObject({ liters: z.int().min(1).max(20).describe('how much water') }),
  decide: ({ actor, target, args }) => ({
    facts: [
      setQuality(target, 'garden.watered', { by: actor.name, liters: args.liters }),
      publishSignal('garden.last', target.name), // role flows read it as world.garden.last
    ],
    result: { watered: target.path },
  }),
})

const garden = defineExtension({
  name: 'garden',
  version: '1.0.0',
  operations: [water],
  signals: { last: 'the bed that was watered last' },
})

const bed = { actor: being({ name: 'ann' }), target: space({ path: '/beds/roses' }) }
const decided = await decide(garden, 'garden:water', { ...bed, args: { liters: 5 } })
for (const fact of decided.facts) console.log(JSON.stringify(fact))
console.log(JSON.stringify(decided.result))

await decide(garden, 'garden:water', { ...bed, args: { liters: 500 } }).catch((error: unknown) => {
  if (error instanceof TreeosError) console.log(`${error.code}: ${error.message}`)
  else throw error
})

import { newWake, PRIORITIES } from '@treeos/core'
import { CARRIER } from './carrier.ts'
import { type ActInputs, buildRegistry, type Operation, type Surface, seed } from './inside.ts'
import type { MemoryWorld } from './memory-world.ts'

/** Does nothing to a space or a being, once both gates allow it. */
const touch: Operation = {
  name: 'carrier:touch',
  description: 'Touches.',
  targets: ['space', 'being'],
  allow: ['owner'],
  args: {},
  decide: async () => ({ facts: [], result: null }),
}
export const TOUCH = touch.name

export const REGISTRY = buildRegistry([seed, { ...CARRIER, operations: [...CARRIER.operations, touch] }])

/** A being of a world that acts with these lists. */
export const actingIn = (world: MemoryWorld, who: string, surface: Surface): ActInputs => ({
  reader: world.reader(),
  registry: REGISTRY,
  moment: `${who}/1/1`,
  openedAt: 0,
  me: world.being(who),
  caller: { name: who, role: null, cognition: 'scripted' },
  driver: null,
  surface,
  wake: newWake({ id: 'w', being: who, kind: 'event', priority: PRIORITIES.human, content: null }),
  fromOutside: false,
  owed: null,
  heard: [],
  hops: 0,
  role: { respondMode: 'async', selfContinue: false },
  correlation: `${who}/1/1`,
  digest: world.keep,
  asker: async () => null,
  question: async () => null,
  thread: async () => null,
  outside: async () => null,
  asking: null,
  catalogs: () => Promise.reject(new Error('nobody asks for catalogs here')),
})

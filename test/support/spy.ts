/**
 * An extension whose effect tells which variables its process shows it. Worker processes load it by its path.
 */
import { fileURLToPath } from 'node:url'
import { defineExtension, defineOperation } from '@treeos/sdk'

export const SPY_PATH = fileURLToPath(import.meta.url)

/** What it sees when it is loaded, before any effect runs. */
const loaded = Object.keys(process.env)

export default defineExtension({
  name: 'spy',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'spy:look',
      description: 'Tells which variables it sees.',
      on: 'being',
      allow: ['self'],
      effect: {
        timeoutSeconds: 5,
        attempts: 1,
        perform: async () => ({ loaded, now: Object.keys(process.env) }),
      },
      decide: ({ effect }) => ({ facts: [], result: effect }),
    }),
  ],
})

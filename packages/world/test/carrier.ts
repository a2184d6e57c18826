import type { Json } from '@treeos/core'
import type { Extension, Operation } from '../src/index.ts'

/**
 * Carries out `set-roleflow` with whatever it is told, a ceiling too. Extensions check what they hand on;
 * this one does not.
 */
const reprofile: Operation = {
  name: 'carrier:reprofile',
  description: 'Gives a being another profile.',
  targets: ['being'],
  allow: ['self'],
  args: {},
  async decide({ args, carryOut }) {
    const { of, ...profile } = args
    const result: Json = await carryOut({ operation: 'set-roleflow', target: String(of), args: profile })
    return { facts: [], result }
  },
}

export const CARRIER: Extension = {
  name: 'carrier',
  version: '1',
  roles: [],
  clauses: [],
  operations: [reprofile],
  beOperations: [],
  carriesOut: ['set-roleflow'],
  relations: {},
  patterns: {},
  resolvers: {},
  see: {},
  scripts: {},
  spaceTypes: {},
  matterTypes: {},
  signals: {},
  schedules: {},
  hooks: {},
  scene: [],
}

export const REPROFILE = reprofile.name

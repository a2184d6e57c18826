/**
 * Code of an extension that attacks the worker it runs in. It is trusted, so it may read what the worker may;
 * but only facts that its manifest covers land, and what it breaks stays within one moment or one process.
 */

import type { JsonObject } from '@treeos/core'
import { type DecidedOperation, defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { listRows } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { play, rowOf, setRole } from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Without types, as code that wants to do harm is. */
// biome-ignore lint/suspicious/noExplicitAny: so has this
type Any = any

interface Crime {
  readonly commit: (input: Any) => unknown
  /** what becomes of the moment */
  readonly ends: { readonly outcome: string; readonly reason: string | null }
}
const own = (actor: Any) => setQuality(actor, 'hostile.done', true)
const REFUSED = { outcome: 'failure', reason: 'INTERNAL' }
const BLOCKED = { outcome: 'failure', reason: 'EXTENSION_BLOCKED' }
const DONE = { outcome: 'act', reason: null }

/** What operations do besides what they decide. */
const CRIMES: Readonly<Record<string, Crime>> = {
  'takes the ceiling off its actor': {
    commit: ({ actor }) => void Object.assign(actor, { ceiling: null }),
    ends: REFUSED,
  },
  'makes its actor the operator’s child': {
    commit: ({ actor }) => void Object.assign(actor, { parent: null }),
    ends: REFUSED,
  },
  'gives its actor another role': {
    commit: ({ actor }) => void Object.assign(actor, { defaultRole: 'stage:free' }),
    ends: REFUSED,
  },
  'gives its actor a flow': {
    commit: ({ actor }) => void Object.assign(actor.qualities, { roleFlow: [{ role: 'stage:free' }] }),
    ends: REFUSED,
  },
  'writes into the row of its target': {
    commit: ({ target }) =>
      void Object.assign(target.space.qualities, { permissions: { do: { '*': true } } }),
    ends: REFUSED,
  },
  'writes into the row of the operator': {
    commit: async ({ world }) => void Object.assign(await world.being('operator'), { ended: 1 }),
    ends: REFUSED,
  },
  'writes into a role that everybody wears': {
    commit: async ({ world }) => {
      const role = await world.role('narrow')
      ;(await world.spec(role.digest)).canDo.push('set-space')
    },
    ends: REFUSED,
  },
  'replaces the lists of such a role': {
    commit: async ({ world }) => {
      const role = await world.role('narrow')
      ;(await world.spec(role.digest)).canDo = [{ pattern: '*' }]
    },
    ends: REFUSED,
  },
  'writes into the wake of its moment': {
    commit: ({ wake }) => void Object.assign(wake.content, { lease: { driver: 'operator', epoch: 1 } }),
    ends: REFUSED,
  },
  'adds a fact after it was checked': {
    commit: ({ actor, facts }) => {
      const add = (n: number): unknown =>
        n === 0
          ? facts.push({ reel: `being:${actor.name}`, kind: 'being:budgeted', payload: { budget: {} } })
          : Promise.resolve().then(() => add(n - 1))
      add(40)
    },
    ends: DONE,
  },
  'changes a fact after it was checked': {
    commit: ({ facts }) => {
      const [fact] = facts
      const change = (n: number): unknown =>
        n === 0
          ? Object.assign(fact.payload, { path: ['roleFlow'] })
          : Promise.resolve().then(() => change(n - 1))
      change(40)
    },
    ends: DONE,
  },
  'says another thing each time it is asked': {
    commit: ({ facts }) => {
      let asked = 0
      const [fact] = facts
      const path = ['hostile', 'done']
      Object.defineProperty(fact.payload, 'path', {
        enumerable: true,
        get: () => (asked++ === 0 ? path : ['roleFlow']),
      })
    },
    ends: DONE,
  },
  'hides a fact behind a proxy': {
    commit: ({ facts }) => {
      facts[0] = new Proxy(facts[0], {})
    },
    ends: REFUSED,
  },
  'names a fact of the substrate by toString': {
    commit: ({ facts }) =>
      void facts.push({ reel: 'space:/', kind: { toString: () => 'hostile:x' }, payload: {} }),
    ends: REFUSED,
  },
  'writes on a reel of another kind': {
    commit: ({ facts }) => void facts.push({ reel: 'moments:operator', kind: 'quality:set', payload: {} }),
    ends: BLOCKED,
  },
  'writes a key that reaches a prototype': {
    commit: ({ facts }) =>
      void facts.push({
        reel: 'being:hand',
        kind: 'quality:set',
        payload: { path: ['hostile', '__proto__'], value: 1, merge: false },
      }),
    ends: BLOCKED,
  },
  'throws nothing': {
    commit: () => {
      throw undefined
    },
    ends: REFUSED,
  },
  'throws what throws when it is read': {
    commit: () => {
      throw new Proxy(
        {},
        {
          get() {
            throw new Error('gotcha')
          },
        },
      )
    },
    ends: REFUSED,
  },
  'throws an error that claims to be ours': {
    commit: () => {
      throw Object.assign(new Error('stale'), { name: 'StaleGenerationError', code: 'TR003' })
    },
    ends: REFUSED,
  },
}

const hostile = defineExtension({
  name: 'hostile',
  version: '1.0.0',
  operations: Object.values(CRIMES).map(({ commit }, i) =>
    defineOperation({
      name: `hostile:crime-${i}`,
      description: 'Commits a crime.',
      on: 'space',
      allow: ['anyone'],
      async decide(input) {
        const facts = [own(input.actor)]
        await commit({ ...input, facts })
        return { facts } as unknown as DecidedOperation
      },
    }),
  ),
})

const world = useWorld({ extensions: [stage, hostile] })
beforeAll(async () => {
  await setRole(world, { name: 'narrow', canDo: [{ pattern: 'hostile:*' }], prompt: '' })
  for (const name of ['hand', 'bystander']) await bear(name)
})

const bear = (name: string) =>
  world.birth({
    name,
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'narrow',
    ceiling: { canDo: [{ pattern: '*' }], canSee: [], canSummon: [], canBe: [] },
  })

/** All rows, without what the crimes may write and what speaking writes. */
async function rows(): Promise<unknown> {
  const found = await listRows(world.db, '')
  return found.map(({ key, state }) => {
    const { qualities, ...row } = state as { qualities?: JsonObject }
    const { hostile: _, ...rest } = qualities ?? {}
    return [key, row, rest]
  })
}

describe('an operation of an extension', () => {
  it.each(drawn(Object.entries(CRIMES).map(([what, { ends }], i) => [what, ends, i] as const)))(
    'that %s changes nothing but what its manifest covers',
    async (_what, ends, i) => {
      const before = await rows()
      const moment = await play(world, 'hand', {
        verb: 'do',
        operation: `hostile:crime-${i}`,
        target: '/',
        args: {},
      })
      expect({ outcome: moment.outcome, reason: moment.reason ?? null }).toEqual(ends)
      expect(await rows()).toEqual(before)
      // In the same worker, for the same role.
      const call = { verb: 'do', operation: 'set-space', target: '/', args: { field: 'a.b', value: 1 } }
      expect(await play(world, 'bystander', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    },
  )

  it('every chain is whole, and every row is what its facts yield', () => expectUnbroken(world))

  it('control: rows that are not frozen can be changed by it', async () => {
    const freeze = vi.spyOn(Object, 'freeze').mockImplementation((value) => value as Readonly<unknown>)
    try {
      await bear('loose') // nobody has read it before, so no frozen row of it is kept
      await play(world, 'loose', { verb: 'do', operation: 'hostile:crime-0', target: '/', args: {} })
      expect((await rowOf(world, 'loose')).ceiling).toBeNull()
      expect(await brokenIn(world)).toMatchObject([{ key: 'being:loose', reason: 'row-mismatch' }])
    } finally {
      freeze.mockRestore()
    }
  })

  it('cannot take a name of another', () => {
    const operation = { ...hostile.operations[0], name: 'move' } as (typeof hostile.operations)[number]
    expect(() => buildRegistry([seed, { ...hostile, operations: [operation] }])).toThrow('move')
    expect(() => buildRegistry([seed, hostile, { ...hostile, version: '2.0.0' }])).toThrow('hostile')
  })
})

/**
 * Whoever owns the database says of a call that no gate was asked about it, and makes all hashes again: both offline verifiers find that
 * such a call came to something, or say that the bundle is not proven.
 */
import type { JsonObject } from '@treeos/core'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { verifyBytes } from './bundle-lines.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { keyOf, sealedBundle } from './sealed-bundles.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('unjudged')
  await reality.act({ verb: 'summon', target: '@cleo', content: 'make it', inReplyTo: null })
  const [told] = reality.at.waiting.get('cleo') ?? []
  const made = await reality.at.live('cleo', told!, {
    ...{ verb: 'do', operation: 'create-matter', target: '/den' },
    args: { id: 'made', content: 'words' },
  })
  expect(made?.outcome).toBe('act')
  await reality.act({ verb: 'summon', target: '@cleo', content: 'look', inReplyTo: null })
  const again = reality.at.waiting.get('cleo')?.at(-1)
  const missed = await reality.at.live('cleo', again!, {
    ...{ verb: 'do', operation: 'take', target: 'matter:none', args: {} },
  })
  expect(missed?.outcome).toBe('failure')
  const nothing = { verb: 'do', operation: 'take', target: 'matter:none', args: {} } as const
  expect(await reality.act(nothing)).toBe('failure')
  return reality.at.lines()
})

const opinionsOf = async (forge: (moments: Part[]) => void) => {
  const copy = forgeries.copy()
  forge(copy.filter(({ kind, being }) => kind === 'moment' && being === 'cleo'))
  const { first, second } = await forgeries.opinionsOn(copy)
  return [first, second].map(({ fault, unjudged }) => ({ fault, unjudged }))
}
const UNLOADED = { promptDigest: null, reason: 'ROLE_UNAVAILABLE', by: [] }
const on = (outcome: string, change: JsonObject) => (moments: Part[]) => {
  Object.assign(moments.find(({ record }) => record.outcome === outcome)!.record, change)
}

judged('control: every call of the honest record is judged', async () => {
  const all = { fault: null, unjudged: {} }
  expect(await opinionsOf(() => undefined)).toEqual([all, all])
})

judged.each<{ what: string; outcome: string; change: JsonObject; fault: string }>([
  { what: 'an act without loaded code', outcome: 'act', change: { promptDigest: null }, fault: 'outcome' },
  { what: 'an act that its effect refused', outcome: 'act', change: { beside: 'effect' }, fault: 'outcome' },
  { what: 'an act that an inbox refused', outcome: 'act', change: { beside: 'inbox' }, fault: 'outcome' },
  {
    what: 'a refusal by what refuses nothing',
    outcome: 'failure',
    change: { beside: 'mood' },
    fault: 'record',
  },
  {
    what: 'a lease that gives another reason',
    outcome: 'failure',
    change: { beside: 'lease' },
    fault: 'outcome',
  },
  {
    what: 'another reason without loaded code',
    outcome: 'failure',
    change: { promptDigest: null },
    fault: 'outcome',
  },
])('$what is broken', async ({ outcome, change, fault }) => {
  const found = await opinionsOf(on(outcome, change))
  expect(found.map((one) => one.fault)).toEqual([`${fault}-mismatch`, `${fault}-mismatch`])
})

judged('code of a role that has none is broken', async () => {
  const plain = forgeries.copy()
  const failed = plain.findLast(({ being, record }) => being === 'operator' && record?.outcome === 'failure')
  Object.assign(failed?.record, UNLOADED)
  const { first, second } = await forgeries.opinionsOn(plain)
  expect([first.fault, second.fault]).toEqual(['law-mismatch', 'law-mismatch'])
})

judged(
  'code that may not have been loaded leaves the bundle unproven, also with every signature',
  async () => {
    const statusesOf = async (forge: (moments: Part[]) => void) => {
      const copy = forgeries.copy()
      forge(copy.filter(({ kind, being }) => kind === 'moment' && being === 'cleo'))
      const bundle = await sealedBundle(mendedBundle(copy))
      const key = keyOf(forgeries.lines).verifier
      const both = await Promise.all([verifyBytes(bundle, key), forgeries.second.ask({ bundle, key })])
      return both.map(({ status }) => status)
    }
    expect(await statusesOf(() => undefined)).toEqual(['ok', 'ok']) // control
    expect(await statusesOf(on('failure', UNLOADED))).toEqual(['unproven', 'unproven'])
  },
)

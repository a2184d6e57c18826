/**
 * Somebody hands over the bundle of one being, with the log's own signature, and leaves out or changes what its moments cite: who said yes
 * to its calls. Both offline verifiers say that the bundle is not whole, or what contradicts.
 */
import type { JsonObject, VerbCall } from '@treeos/core'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { verifyBytes } from './bundle-lines.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { keyOf, linesOf, sealedBundle } from './sealed-bundles.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const MAKE: VerbCall = {
  ...{ verb: 'do', operation: 'create-matter', target: '/den' },
  args: { id: 'paid', content: 'asked for' },
}

const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('cited')
  const rule = { requires: ['anyone'], ask: { who: ['@ann', '@ben'], count: 2 } }
  await reality.act({
    ...{ verb: 'do', operation: 'set-space', target: '/den' },
    args: { field: 'permissions', value: { do: { 'create-matter': rule } } },
  })
  await reality.act({ verb: 'summon', target: '@cleo', content: 'do it', inReplyTo: null })
  const { at } = reality
  const told = at.waiting.get('cleo')?.find(({ kind }) => kind === 'summon')
  const id = String((await at.live('cleo', told!, MAKE))?.moment)
  const approve: VerbCall = { verb: 'do', operation: 'approve', target: null, args: { id } }
  for (const person of ['ann', 'ben']) expect(await reality.act(approve, null, person)).toBe('act')
  const approved = at.waiting.get('cleo')?.find((wake) => wake.id === `approved/${id}`)
  expect((await at.live('cleo', approved!, MAKE))?.outcome).toBe('act')
  return at.lines()
})

/** @param cut leaves lines out of the bundle; the log holds them */
const opinionsOf = async (
  forge: (lines: Part[]) => void,
  cut: (line: Part) => boolean = () => false,
): Promise<unknown[]> => {
  const copy = forgeries.copy()
  forge(copy)
  const whole = mendedBundle(copy)
  const bundle = await sealedBundle(
    linesOf('cleo', whole).filter((line) => !cut(line)),
    whole,
  )
  const key = keyOf(whole as JsonObject[]).verifier
  const { status, broken, unproven } = await verifyBytes(bundle, key)
  const other = await forgeries.second.ask({ bundle, key, why: true })
  expect(other.status).toBe(status)
  if (status !== 'broken') return [status, unproven.filter((line) => /yes/.test(line))]
  const reason = other.broken?.[0]?.reason // it names the first fault alone
  expect(broken.map((fault) => fault.reason)).toContain(reason)
  return [status, reason]
}
const isYesOf = (person: string) => (line: Part) =>
  line.kind === 'fact' && line.header.kind === 'approval:given' && line.header.actor === person
const LACKS = 'who said yes to 1 of its calls is not in the bundle'

judged('control: the bundle of a being holds who said yes to its calls, and is ok', async () => {
  expect(await opinionsOf(() => undefined)).toEqual(['ok', []])
  const held = linesOf('cleo', forgeries.copy()).filter(({ header }) => header?.kind === 'approval:given')
  expect(held.map(({ header }) => header.actor)).toEqual(['ann', 'ben'])
})

judged.each([
  { what: 'one yes', cut: isYesOf('ben') },
  { what: 'the first yes', cut: isYesOf('ann') },
  { what: 'every yes', cut: (line: Part) => line.kind === 'fact' && line.header.kind === 'approval:given' },
  { what: 'what woke it', cut: (line: Part) => line.header?.kind === 'being:summoned' },
])('without $what it is unproven', async ({ what, cut }) => {
  const told = what === 'what woke it' ? [] : [LACKS]
  expect(await opinionsOf(() => undefined, cut)).toEqual(['unproven', told])
})

judged.each<{ what: string; forge: (lines: Part[]) => void }>([
  {
    what: 'a yes of somebody whom the question does not ask',
    forge: (all) => {
      all.find(isYesOf('ben'))!.header.actor = 'dan'
    },
  },
  {
    what: 'a yes to another call',
    forge: (all) => {
      for (const fact of all)
        if (fact.header?.kind === 'approval:given') fact.payload.call.args.content = 'something else'
    },
  },
  {
    what: 'another name in the record of what was done',
    forge: (all) => {
      const { record } = all.findLast(({ being, record }) => being === 'cleo' && record?.outcome === 'act')!
      record.by = record.by.map((text: string) => text.replace('@ben', '@dan'))
    },
  },
  {
    what: 'an act that did not read who said yes',
    forge: (all) => {
      const act = all.findLast(({ being, record }) => being === 'cleo' && record?.outcome === 'act')!
      for (const field of ['basis', 'judged'])
        act[field] = act[field]?.filter(([reel]: string[]) => !reel?.startsWith('approval:')) ?? null
    },
  },
])('$what is broken', async ({ forge }) => {
  expect(await opinionsOf(forge)).toEqual(['broken', 'law-mismatch'])
})

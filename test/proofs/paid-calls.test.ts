/**
 * Whoever owns the database and has the key of the log rewrites what was paid, for whom, who asked for it, or that nobody was asked. Both
 * offline verifiers name it, in the bundle of all and in that of one being.
 */
import type { JsonObject, VerbCall } from '@treeos/core'
import { saltedHash } from '@treeos/verify/parts'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { verifyBytes } from './bundle-lines.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { keyOf, linesOf, sealedBundle } from './sealed-bundles.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const TILL: VerbCall = { verb: 'do', operation: 'manor:till', target: '/den', args: {} }

const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('paid')
  await reality.act({ verb: 'summon', target: '@cleo', content: 'pay it', inReplyTo: null })
  const { at } = reality
  const told = at.waiting.get('cleo')?.find(({ kind }) => kind === 'summon')
  const waits = await at.live('cleo', told!, TILL)
  expect(waits?.outcome).toBe('waiting')
  const id = String(waits?.moment)
  await reality.act({ verb: 'do', operation: 'approve', target: null, args: { id } })
  const approved = at.waiting.get('cleo')?.find((wake) => wake.id === `approved/${id}`)
  expect((await at.live('cleo', approved!, TILL))?.outcome).toBe('act')
  return at.lines()
})

const SALT = 'ab'.repeat(32)
const paying = (change: JsonObject) => (all: Part[]) => {
  const act = all.findLast(({ being, record }) => being === 'cleo' && record?.outcome === 'act')!
  const request = { operation: 'manor:till', actor: 'cleo', target: '/den', args: {}, ...change }
  act.effect = { salt: SALT, request, result: { value: 'paid' } }
  act.record.effect = {
    request: saltedHash(SALT, request),
    result: saltedHash(SALT, act.effect.result),
  }
}
const tellingOf = (change: (wake: Part) => void) => (all: Part[]) =>
  change(all.find(({ being, open }) => being === 'cleo' && open?.wake.kind === 'summon')?.open.wake)
const withoutYes = (all: Part[]) => {
  const act = all.findLast((one) => one.being === 'cleo' && one.record?.outcome === 'act')!
  const used = all.find(({ header }) => header?.kind === 'approval:used')!
  const id = act.open.wake.id.slice('approved/'.length)
  act.open.wake.id = act.record.wake = `continue/${id}`
  act.open.wake.continues = 1
  act.record.by = act.record.by.filter((text: string) => !text.startsWith('approval '))
  act.record.facts = act.record.facts.filter(([reel]: string[]) => reel !== used.reel)
  all.splice(all.indexOf(used), 1)
  const head = all.find(({ kind, reel }) => kind === 'head' && reel === used.reel)!
  head.seq -= 1
}

const ATTACKS: readonly (readonly [what: string, forge: (all: Part[]) => void, reason: string])[] = [
  ['another amount', paying({ args: { amount: 99 } }), 'effect-mismatch'],
  ['another payee', paying({ target: '/' }), 'effect-mismatch'],
  ['another payer', paying({ actor: 'dan' }), 'effect-mismatch'],
  ['another payment', paying({ operation: 'manor:mark' }), 'effect-mismatch'],
  ['a payment that nobody was asked about', withoutYes, 'law-mismatch'],
  [
    'another asker than who said it',
    tellingOf((wake) => {
      wake.caller.name = 'ann'
    }),
    'context-mismatch',
  ],
  [
    'another role of the asker',
    tellingOf((wake) => {
      wake.caller.role = 'judge'
    }),
    'context-mismatch',
  ],
  [
    'an asker of another mind',
    tellingOf((wake) => {
      wake.caller.cognition = 'llm'
    }),
    'context-mismatch',
  ],
  [
    'words that no fact says',
    tellingOf((wake) => {
      wake.cause = null
    }),
    'context-mismatch',
  ],
]

/** What both say of the bundle of all, and of that of the being: the status, and all reasons of the first verifier. */
async function opinionsOf(forge: (all: Part[]) => void) {
  const copy = forgeries.copy()
  forge(copy)
  const whole = mendedBundle(copy)
  const key = keyOf(forgeries.lines).verifier
  const opinions = []
  for (const part of [whole, linesOf('cleo', whole)]) {
    const bundle = await sealedBundle(part, whole)
    const [first, other] = [await verifyBytes(bundle, key), await forgeries.second.ask({ bundle, key })]
    expect(other.status).toBe(first.status)
    opinions.push({ status: first.status, reasons: first.broken.map(({ reason }) => reason) })
  }
  return opinions
}

judged('control: nothing is said of what was paid as it was approved', async () => {
  const ok = { status: 'ok', reasons: [] }
  expect(await opinionsOf(() => undefined)).toEqual([ok, ok])
  expect(await opinionsOf(paying({}))).toEqual([ok, ok])
})

judged.each(ATTACKS)('%s is broken', async (_, forge, reason) => {
  for (const { status, reasons } of await opinionsOf(forge)) {
    expect(status).toBe('broken')
    expect(reasons).toContain(reason)
  }
})

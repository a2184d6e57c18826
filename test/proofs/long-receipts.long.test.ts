/** Receipts leave out what a permission does not depend on: long runs of facts. */
import { type Json, type JsonObject, readPath } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import type { DerivedPermission } from '@treeos/verify'
import { describe, expect, it } from 'vitest'
import { play } from '../support/life.ts'
import type { ShownFact, Statement } from './receipt-forgers.ts'
import { statementIn, useReceipts } from './receipt-scene.ts'

/** Facts on the reel of a maker. */
const MAKER_FACTS = Number(process.env.TREEOS_MAKER_FACTS ?? 1020)

const scene = useReceipts({ makerFacts: MAKER_FACTS })
const { world, told, issue, check } = scene

/** Whether a receipt holds what its flow read: it does not, and says so. */
const OF_CONTEXT = expect.stringMatching(/^the context: .* is said by its record$/)

describe('a receipt of a being whose maker wrote much', () => {
  const bytesOf = (envelope: JsonObject) => JSON.stringify(envelope).length
  const gapOf = ({ gaps }: DerivedPermission) => gaps.find(({ reel }) => reel === 'being:elder')!
  /** bytes of what a receipt shows of the maker */
  const elderIn = (envelope: JsonObject) =>
    JSON.stringify(readPath(statementIn(envelope), ['predicate', 'reels', 'being:elder'])).length
  const ofHeir = () => told.get('a maker that wrote much')!
  const wholeOf = async (moment: string) =>
    (await issue(moment, scene.log, Number.POSITIVE_INFINITY)).envelope

  it('does not grow with the facts of the maker, and names those that it leaves out', async () => {
    const [short, whole] = [(await issue(ofHeir())).envelope, await wholeOf(ofHeir())]
    const { ok, unproven, derived } = await check(short)
    expect(ok).toBe(true)
    const { from, to } = gapOf(derived!)
    expect(from).toBe(2) // all but its birth
    expect(to - from).toBeGreaterThanOrEqual(MAKER_FACTS - 1)
    expect(unproven).toContainEqual(
      `facts ${from} to ${to} of being:elder are left out: that the permission does not depend on them is said by the signer`,
    )
    // The control: with all of them nothing of the kind is unproven, and it is many times larger.
    expect(await check(whole)).toMatchObject({ ok: true, unproven: [OF_CONTEXT], derived: { gaps: [] } })
    expect(bytesOf(whole)).toBeGreaterThan(400 * MAKER_FACTS)
    expect(bytesOf(short)).toBeLessThan(60_000)
    console.log(`a maker of ${to} facts: ${bytesOf(whole)} bytes with all of them, ${bytesOf(short)} without`)

    await scene.fill('elder', MAKER_FACTS, MAKER_FACTS / 2)
    await scene.plays('a maker that wrote more', 'heir', { verb: 'see', address: '/den' })
    await scene.relog()
    const later = (await issue(told.get('a maker that wrote more')!)).envelope
    expect(gapOf((await check(later)).derived!)).toMatchObject({ from: 2 })
    expect(elderIn(later) - elderIn(short)).toBeLessThan(10) // a longer number
    told.delete('a maker that wrote more')
  })

  it('shows every fact while the log does not hold them: a gap needs the log', async () => {
    const { envelope } = await issue(ofHeir(), null)
    expect(await check(envelope, null)).toMatchObject({ broken: [], derived: { gaps: [] } })
  })

  it('names what it leaves out also when that counts, and is refused where the log does not show what stands before', async () => {
    await play(world, 'elder', { verb: 'do', operation: 'move', target: '/den', args: {} }) // a place counts
    const { n } = await play(world, 'heir', { verb: 'see', address: '/den' })
    await scene.relog()
    const statement = statementIn(await wholeOf(`heir/1/${n}`)) as unknown as Statement
    const reel = statement.predicate.reels['being:elder'] as ShownFact[]
    const moved = 1 + reel.findIndex(([header]) => header.kind === 'being:moved')
    expect(moved).toBeGreaterThan(MAKER_FACTS)
    const { index, path } = (await scene.log.prove('being:elder', 1))!
    const { hash } = await world.db
      .selectFrom('fact')
      .select('hash')
      .where('reel', '=', 'being:elder')
      .where('seq', '=', reel.length)
      .executeTakeFirstOrThrow()
    const { proof, ...predicate } = statement.predicate as unknown as { proof: JsonObject; reels: JsonObject }
    const gap = { to: reel.length, hash: hash.toString('hex') }
    const signed = (more: JsonObject) => {
      const reels = { ...predicate.reels, 'being:elder': [reel[0] as Json, gap] }
      const forged = { ...statement, predicate: { ...predicate, reels, proof: { ...proof, ...more } } }
      return check(envelopeOf(forged as unknown as Json, scene.key))
    }
    const cuts = { '1 being:elder': [index, [...path]] }
    const { ok, unproven } = await signed({ cuts })
    expect(ok).toBe(true) // whoever signs could do that: so it is said
    expect(unproven).toContainEqual(
      expect.stringContaining(`facts 2 to ${reel.length} of being:elder are left out`),
    )
    expect((await signed({})).broken).toMatchObject([{ reason: 'proof-mismatch' }])
    expect((await signed({ cuts: { '1 being:elder': [index + 1, [...path]] } })).ok).toBe(false)
  })
})

/** Receipts that somebody changed, without the key of the log and with it. */
import type { Json, JsonObject } from '@treeos/core'
import { envelopeOf } from '@treeos/proofs'
import { parseKey, verifyReceipt } from '@treeos/verify'
import { describe, expect, it } from 'vitest'
import { Random } from '../faults/random.ts'
import { newLogKey } from '../support/naive-log.ts'
import { IS_NIGHT } from '../support/night.ts'
import { FORGERS, type Statement } from './receipt-forgers.ts'
import { statementIn, useReceipts } from './receipt-scene.ts'

/** The day tries each kind a few times. */
const FORGERIES = Number(process.env.TREEOS_FORGERIES ?? (IS_NIGHT ? 1000 : 250))

const scene = useReceipts({ makerFacts: 180 })
const { world, told, issue, check } = scene

describe('a forged receipt', () => {
  it('that the key did not sign is refused, whichever byte is changed', async () => {
    const { envelope } = await issue(told.get('a list')!)
    const text = JSON.stringify(envelope)
    const draw = new Random(7)
    for (let i = 0; i < 300; i++) {
      const at = draw.between(0, text.length - 1)
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
      const isName = /"keyid":"[^"]*$/.test(text.slice(0, at)) // says which key to try, and is not signed
      if (!isName)
        expect((await verifyReceipt(changed, { key: parseKey(scene.key.verifier) })).ok, `byte ${at}`).toBe(
          false,
        )
    }
    expect((await check(envelope, newLogKey(world.reality).verifier)).broken).toMatchObject([
      { reason: 'envelope-mismatch' },
    ])
    expect((await check(envelope, newLogKey(world.reality).verifier)).broken).toHaveLength(1)
  })

  it(`is refused ${FORGERIES} times although the right key signed it: it does not follow from its specs and facts`, async () => {
    const genuine: { name: string; envelope: JsonObject }[] = []
    // One after another: each holds a connection to Postgres while it is derived.
    for (const [name, moment] of told)
      if (name !== 'a rule that requires') genuine.push({ name, envelope: (await issue(moment)).envelope })
    const draw = new Random(18)
    const kinds: Record<string, number> = {}
    for (let i = 0; i < FORGERIES; i++) {
      const { name, envelope } = draw.pick(genuine)
      const statement = structuredClone(statementIn(envelope)) as unknown as Statement
      const [kind, forge] = draw.pick(FORGERS)
      const what = forge(statement, draw)
      if (what === false) {
        i -= 1
        continue
      }
      kinds[kind] = (kinds[kind] ?? 0) + 1
      const { ok } = await check(envelopeOf(statement as unknown as Json, scene.key))
      expect(ok, `the receipt of ${name} with ${kind}: ${what}`).toBe(false)
    }
    for (const { name, envelope } of genuine) // the control: signed again by the same way, they hold
      expect({
        name,
        broken: (await check(envelopeOf(statementIn(envelope) as Json, scene.key))).broken,
      }).toEqual({
        name,
        broken: [],
      })
    expect(Object.keys(kinds).sort()).toEqual(FORGERS.map(([kind]) => kind).sort())
  })
})

/** Who is born enters the home that it gets, also where that is the home of its maker: both offline verifiers ask the rules about moving there. */
import type { JsonObject, VerbCall } from '@treeos/core'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { copyOf } from './generated-reality.ts'
import type { Part } from './mutations.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const forgeries = useForgeries()
const BIRTH: VerbCall = { verb: 'be', operation: 'birth', args: { name: 'kid', cognition: 'human' } }

/** @ann is under a rule of her home, and gives birth there. */
async function lived(move: JsonObject): Promise<{ readonly outcome: unknown; readonly lines: Part[] }> {
  const reality = await ActedReality.begin(`home-births-${JSON.stringify(move)}`)
  const args = { field: 'permissions', value: { do: { move } } }
  expect(await reality.act({ verb: 'do', operation: 'set-space', target: '/', args })).toBe('act')
  const outcome = await reality.act(BIRTH, null, 'ann')
  return { outcome, lines: copyOf(reality.at.lines()) as Part[] }
}
const faultsOn = async (lines: Part[]) => {
  const { first, second } = await forgeries.opinionsOn(lines)
  return [first.fault, second.fault]
}

judged('a birth at home is an act where the rule lets it, and refused where it does not', async () => {
  const [free, held] = [await lived({ requires: ['anyone'] }), await lived({ requires: ['operator'] })]
  expect([free.outcome, held.outcome]).toEqual(['act', 'failure'])
  expect(await faultsOn(free.lines)).toEqual([null, null])
  expect(await faultsOn(held.lines)).toEqual([null, null])
})

judged('a birth that the rule of the home does not let is broken', async () => {
  const { lines } = await lived({ requires: ['anyone'] })
  const rule = lines.findLast(({ header }) => header?.kind === 'quality:set')!
  const setting = lines.find(({ record }) => record?.moment === rule.header.moment)!
  rule.payload.value = setting.decision.call.args.value = { do: { move: { requires: ['operator'] } } }
  expect(await faultsOn(lines)).toEqual(['law-mismatch', 'law-mismatch'])
})

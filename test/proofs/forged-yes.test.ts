/**
 * Whoever owns the database writes that a rule asked fewer than it does, and takes care that the moment which asked is not judged: both offline verifiers derive whom the rule asks once more where the call was done.
 */
import type { JsonObject, VerbCall } from '@treeos/core'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import { copyOf } from './generated-reality.ts'
import { bothOn } from './law-compared.ts'
import type { Part } from './mutations.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const forgeries = useForgeries()

const MAKE: VerbCall = {
  ...{ verb: 'do', operation: 'create-matter', target: '/den' },
  args: { id: 'paid', content: 'asked for' },
}

/** @cleo is told to make a thing, a rule asks persons about it, these say yes, and it is made. */
async function lived(rule: JsonObject, persons: readonly string[]): Promise<Part[]> {
  const reality = await ActedReality.begin('forged-yes')
  await reality.act({
    ...{ verb: 'do', operation: 'set-space', target: '/den' },
    args: { field: 'permissions', value: { do: { 'create-matter': rule } } },
  })
  await reality.act({ verb: 'summon', target: '@cleo', content: 'do it', inReplyTo: null })
  const { at } = reality
  const told = at.waiting.get('cleo')?.find(({ kind }) => kind === 'summon')
  const waits = await at.live('cleo', told!, MAKE)
  expect(waits?.outcome).toBe('waiting')
  const id = String(waits?.moment)
  const approve: VerbCall = { verb: 'do', operation: 'approve', target: null, args: { id } }
  for (const person of persons) expect(await reality.act(approve, null, person)).toBe('act')
  const approved = at.waiting.get('cleo')?.find((wake) => wake.id === `approved/${id}`)
  expect((await at.live('cleo', approved!, MAKE))?.outcome).toBe('act')
  return copyOf(at.lines()) as Part[]
}

const factIn = (lines: readonly Part[], kind: string): Part =>
  lines.findLast(({ header }) => header?.kind === kind)!
const momentOf = (lines: readonly Part[], { header }: Part): Part =>
  lines.find(({ record }) => record?.moment === header.moment)!

const RULES: readonly JsonObject[] = [{}, { counts: [{ most: 3 }] }, { outside: 'forbid' }]

judged.each(RULES)('one yes where the rule asks for two is broken, with a rule %j', async (more) => {
  const asking = (count: number): JsonObject => ({
    requires: ['anyone'],
    ...more,
    ask: { who: ['@ann', '@ben'], count },
  })
  const [lines, other] = [await lived(asking(1), ['ben']), await lived(asking(2), ['ann', 'ben'])]
  for (const honest of [lines, other]) {
    const { first, second: of } = await bothOn(honest as JsonObject[], forgeries.second)
    expect([first.fault, of.fault]).toEqual([null, null]) // control
  }
  const [asked, set] = [factIn(lines, 'approval:asked'), factIn(lines, 'quality:set')]
  momentOf(lines, asked).record.law = 2 // so that it is not judged
  asked.payload.ties = factIn(other, 'approval:asked').payload.ties
  momentOf(lines, set).decision.call.args.value = factIn(other, 'quality:set').payload.value
  set.payload = factIn(other, 'quality:set').payload
  const forged = await forgeries.opinionsOn(lines)
  expect([forged.first.fault, forged.second.fault]).toEqual(['law-mismatch', 'law-mismatch'])
  expect(forged.first.told).toContain('the rules of the place are not those')
})

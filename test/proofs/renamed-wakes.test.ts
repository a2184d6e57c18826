/**
 * Whoever owns the database says of an act of a person that something else woke it, and makes all hashes again: both offline verifiers
 * name it, and nothing honest.
 */
import { type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { expect } from 'vitest'
import { ActedReality } from './acted-reality.ts'
import type { Part } from './mutations.ts'
import { judged, useForgeries } from './use-forgeries.ts'

const SET = { verb: 'do', operation: 'set-being', args: { field: 'mood', value: 'calm' } } as const
const forgeries = useForgeries(async () => {
  const reality = await ActedReality.begin('renamed')
  await reality.act({ verb: 'summon', target: '@cleo', content: 'a word', inReplyTo: null })
  const told = reality.at.waiting.get('cleo')?.find(({ kind }) => kind === 'summon')
  if (told === undefined) throw new Error('@cleo was not told anything')
  await reality.at.live('cleo', told, { verb: 'see', address: '/den' })
  const due = reality.at.event('cleo', 'round/1', false)
  await reality.at.live('cleo', due, { verb: 'see', address: '/den' })
  const late = newWake({
    ...{ id: 'idle/cleo/1/3', being: 'cleo', kind: 'event' as const },
    ...{ priority: PRIORITIES.background, content: null },
  })
  await reality.at.live('cleo', late, { verb: 'see', address: '/den' })
  await reality.act({ ...SET, target: '@operator' })
  return reality.at.lines()
})

const faultsOf = async (forge: (moments: Part[]) => void): Promise<readonly (string | null)[]> => {
  const copy = forgeries.copy()
  forge(copy.filter(({ kind }) => kind === 'moment'))
  const { first, second } = await forgeries.opinionsOn(copy)
  return [first.fault, second.fault]
}
const woken = (being: string, wake: JsonObject) => (moments: Part[]) => {
  const moment = moments.findLast((one) => one.being === being)
  Object.assign(moment?.open.wake, wake)
  if (typeof wake.id === 'string') moment!.record.wake = wake.id
}

judged('control: nothing is said of the honest record, also with all hashes made again', async () => {
  expect(await faultsOf(() => undefined)).toEqual([null, null])
  expect(await faultsOf(woken('cleo', { id: 'idle/cleo/1/4' }))).toEqual([null, null])
})

judged.each<{ what: string; being?: string; wake: JsonObject }>([
  { what: 'a summon', wake: { kind: 'summon', id: 'ann/1/9' } },
  { what: 'an event of a kind that there is', wake: { kind: 'event', id: 'schedule/operator/round/1' } },
  { what: 'a conversation that went on', wake: { kind: 'event', id: 'continue/operator/1/1', continues: 1 } },
  { what: 'the end of an own call', wake: { kind: 'event', id: 'denied/operator/1/1' } },
  { what: 'an event of no kind', wake: { kind: 'event', id: 'note/1' } },
  { what: 'an act by another id', wake: { id: 'note/1' } },
  { what: 'an act by the id of an event', wake: { id: 'schedule/operator/round/1' } },
  { what: 'an event of no kind, of a mind', being: 'cleo', wake: { id: 'note/1' } },
  { what: 'an event by the id of an act, of a mind', being: 'cleo', wake: { id: 'act/x' } },
  { what: 'the schedule of another being', being: 'cleo', wake: { id: 'schedule/dan/round/1' } },
  { what: 'the going on of another being', being: 'cleo', wake: { id: 'look/dan/1/1', continues: 1 } },
  { what: 'a summon by the id of an event', being: 'cleo', wake: { kind: 'summon', id: 'idle/cleo/1/3' } },
])('that it was $what is broken', async ({ being = 'operator', wake }) => {
  expect(await faultsOf(woken(being, wake))).toEqual(['open-mismatch', 'open-mismatch'])
})

judged('that it was an event of a person who was ended is broken, since nothing is done then', async () => {
  const faults = await faultsOf((moments) => {
    woken('operator', { kind: 'event', id: 'schedule/operator/round/1' })(moments)
    Object.assign(moments.findLast(({ being }) => being === 'operator')?.open, { ended: true })
  })
  for (const fault of faults) expect(fault).not.toBeNull()
})

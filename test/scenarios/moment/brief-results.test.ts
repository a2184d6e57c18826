/** Results that leave out what a digest in them covers: history holds what the workflow uses, and what attests the rest. */

import type { OpenedMoment, OpenInput, Told } from '@treeos/protocol'
import { digestOf, readOpen, readOutcome } from '@treeos/store'
import { expect, it } from 'vitest'
import {
  beginByHand,
  finishByHand,
  type HandMoment,
  type HandWorker,
  handWorker,
  nextOf,
  tellByHand,
} from '../../support/by-hand.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const ACT = { verb: 'do', action: 'set-being', args: { field: 'a.b', value: 1 } }

async function born(name: string) {
  await world.birthPuppet(name)
  return { worker: handWorker(world), first: await beginByHand(world, name) }
}

/** Lives two moments of a puppet. @returns the results that the second one leaves in history */
async function liveTwo(name: string, told: Told | number) {
  const { worker, first } = await born(name)
  const { opened } = await live(worker, first, { mayHold: true, program: null }, told)
  const program = { program: opened.program!, programDigest: opened.programDigest! }
  const moment = nextOf(first)
  const form = { mayHold: true, program: program.programDigest } as const
  return { moment, ...(await live(worker, moment, form, told, program)) }
}

async function live(
  worker: HandWorker,
  moment: HandMoment,
  form: Pick<OpenInput, 'mayHold' | 'program'>,
  told: Told | number,
  program: Partial<OpenedMoment> = {},
) {
  await tellByHand(world, moment.being, moment.moment, { call: ACT })
  const opened = (await worker.openMoment({ ...moment, ...form }, told)).value as OpenedMoment
  if (opened.held === undefined) return { opened, stamped: null }
  return { opened, stamped: await finishByHand(worker, moment, { ...opened, ...program }) }
}

it('a brief result names the open record and the record, whose hashes cover what it leaves out', async () => {
  const { moment, opened, stamped } = await liveTwo('curt', { heard: 1 })
  const [open, outcome] = await Promise.all([
    readOpen(world.db, moment.moment),
    readOutcome(world.db, moment.moment),
  ])
  const { context, cognition } = open!.record
  expect(opened).toEqual({
    moment: moment.moment,
    context,
    cognition: cognition.kind,
    asked: null,
    decided: false,
    held: digestOf(open!.record),
  })
  expect(stamped).toEqual({ kind: 'act', reason: null, record: outcome!.hash, waiting: 0 })
})

it('a run before version 5, which tells a number, gets all of it', async () => {
  const { opened, stamped } = await liveTwo('wordy', 1)
  expect(Object.keys(opened)).toEqual(
    expect.arrayContaining(['programDigest', 'program', 'heads', 'basis', 'held']),
  )
  expect(Object.keys(stamped!)).toEqual(
    expect.arrayContaining(['moment', 'stack', 'surface', 'prompt', 'act', 'heads']),
  )
})

it('where no digest of the open record stands for them, heads and basis are told', async () => {
  const { worker, first } = await born('slow')
  const { opened } = await live(worker, first, { program: null }, { heard: 1 })
  expect(opened).toMatchObject({ heads: expect.anything(), basis: expect.anything() })
  expect(opened).not.toHaveProperty('held')
})

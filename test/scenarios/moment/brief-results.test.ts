/** Results that leave out what a digest in them covers: history holds what the workflow uses, and what attests the rest. */

import type { OpenedMoment, OpenInput } from '@treeos/protocol'
import { digestOf, findOpen, findOutcome } from '@treeos/store'
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
const ACT = { verb: 'do', operation: 'set-being', args: { field: 'a.b', value: 1 } }

async function born(name: string) {
  await world.birthPuppet(name)
  return { worker: handWorker(world), first: await beginByHand(world, name) }
}

/** Lives two moments of a puppet. @returns the results that the second one leaves in history */
async function liveTwo(name: string) {
  const { worker, first } = await born(name)
  const { opened } = await live(worker, first, { mayHold: true, program: null })
  const program = { program: opened.program!, programDigest: opened.programDigest! }
  const moment = nextOf(first)
  const form = { mayHold: true, program: program.programDigest } as const
  return { moment, ...(await live(worker, moment, form, program)) }
}

async function live(
  worker: HandWorker,
  moment: HandMoment,
  form: Pick<OpenInput, 'mayHold' | 'program'>,
  program: Partial<OpenedMoment> = {},
) {
  await tellByHand(world, moment.being, moment.moment, { call: ACT })
  const opened = (await worker.openMoment({ ...moment, ...form }, { heard: 1 })).value as OpenedMoment
  if (opened.state !== 'held') return { opened, stamped: null }
  return { opened, stamped: await finishByHand(worker, moment, { ...opened, ...program }) }
}

it('a brief result names the open record and the record, whose hashes cover what it leaves out', async () => {
  const { moment, opened, stamped } = await liveTwo('curt')
  const [open, outcome] = await Promise.all([
    findOpen(world.db, moment.moment),
    findOutcome(world.db, moment.moment),
  ])
  const { context, cognition } = open!.record
  expect(opened).toEqual({
    moment: moment.moment,
    context,
    cognition: cognition.kind,
    asked: null,
    decided: false,
    open: digestOf(open!.record),
    state: 'held',
  })
  expect(stamped).toEqual({ kind: 'act', reason: null, record: outcome!.hash, waiting: 0 })
})

it('an open record that is stored before the moment ends is named by its digest, too', async () => {
  const { worker, first } = await born('slow')
  const { opened } = await live(worker, first, { mayHold: false, program: null })
  const { record } = (await findOpen(world.db, first.moment))!
  expect(opened).toMatchObject({ state: 'stored', open: digestOf(record), programDigest: record.program })
})

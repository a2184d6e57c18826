/**
 * Results that leave out what a digest in them covers: history holds what the workflow uses, and what attests
 * the rest.
 */

import { newMemory } from '@treeos/activities'
import { digestOf, findOpen, findOutcome } from '@treeos/store'
import { expect, it } from 'vitest'
import { beginByHand, handWorker, liveByHand, nextOf, tellByHand } from '../../support/by-hand.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const ACT = { verb: 'do', operation: 'set-being', args: { field: 'a.b', value: 1 } }

async function born(name: string, mindMs?: number) {
  await world.birthPuppet(name)
  const first = await beginByHand(world, name)
  await tellByHand(world, name, name, { call: ACT })
  return { worker: handWorker(world, { memory: newMemory({ mindMs }) }), first }
}

it('a brief result names the open record, the program and the record, whose hashes cover what it leaves out', async () => {
  const { worker, first } = await born('curt')
  const [before] = (await liveByHand(worker, first)).value.lived
  const moment = nextOf(first)
  await tellByHand(world, 'curt', moment.moment, { call: ACT })
  const { programDigest } = before!.opened
  const { value } = await liveByHand(worker, moment, { program: programDigest })
  const [open, outcome] = await Promise.all([
    findOpen(world.db, moment.moment),
    findOutcome(world.db, moment.moment),
  ])
  const { context, cognition } = open!.record
  expect(before!.opened.program).toMatchObject({ flow: expect.anything() })
  expect(value).toEqual({
    lived: [
      {
        opened: {
          moment: moment.moment,
          context,
          cognition: cognition.kind,
          asked: null,
          decided: false,
          open: digestOf(open!.record),
          programDigest,
        },
        stack: outcome!.record.stack,
        ended: { kind: 'act', reason: null, did: 'do set-being', record: outcome!.hash, waiting: 0 },
      },
    ],
  })
})

it('an open record that is stored before the moment ends is named by its digest, too', async () => {
  const { worker, first } = await born('slow', 0)
  const { value } = await liveByHand(worker, first)
  const { record } = (await findOpen(world.db, first.moment))!
  expect(value).toMatchObject({
    lived: [],
    stop: {
      opened: { open: digestOf(record), programDigest: record.program },
      stack: { primary: { name: expect.any(String) } },
      left: { decides: true },
    },
  })
})

import type { SerializationContext } from '@temporalio/common'
import { beingWorkflowId, scheduleId, taskWorkflowId } from '@treeos/protocol'
import { describe, expect, it } from 'vitest'
import { PayloadBound } from './history-bound.ts'

const bound = new PayloadBound()
const payload = (bytes: number) => [{ metadata: {}, data: new Uint8Array(bytes) }]
const MOST = 160 * 1024
const of = (workflowId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  workflowId,
  isLocal: true,
})

describe('a payload of more than 160 KiB', () => {
  it.each([
    beingWorkflowId('home', 'ann'),
    scheduleId('home', 'ann', 'day'),
    taskWorkflowId('home', 'ann/1/1'),
  ])('is refused in %s', async (id) => {
    await expect(bound.encode(payload(MOST + 1), of(id))).rejects.toThrow('too large for history')
    expect(await bound.encode(payload(MOST), of(id))).toHaveLength(1)
  })

  it.each(['order-17', 'being', 'beings/home/ann', 'task/17'])('passes in %s, of the host', async (id) => {
    expect(await bound.encode(payload(MOST + 1), of(id))).toHaveLength(1)
  })

  it('passes where nobody says of which workflow it is', async () => {
    expect(await bound.encode(payload(MOST + 1))).toHaveLength(1)
  })
})

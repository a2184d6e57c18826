import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { FaultProxy, tcpTarget } from '../../faults/proxy.ts'
import { askedFor, beingOf, momentOf, tell, until } from '../../support/life.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** Longer than all attempts of a moment together when each fails at once. */
const AWAY_MS = 6000

const model = useModelServer()
let proxy: FaultProxy
beforeAll(async () => {
  proxy = await FaultProxy.start(tcpTarget(inject('postgresUrl')), 'postgres')
})
afterAll(() => proxy?.close())
const world = useWorld({
  modelServer: model,
  workerUrl(url) {
    const by = new URL(url)
    by.host = proxy.address
    return by.href
  },
})

it('Postgres goes away while a model thinks: the answer waits for it, and the model is asked once', async () => {
  await world.birth({ name: 'thinker', cognition: 'llm', role: 'resident' })
  let answers = false
  model.script(async (request) => {
    if (beingOf(request) === 'thinker') await until(() => answers, { seconds: 30 })
    return undefined
  })
  const correlation = await tell(world, 'thinker', 'think')
  await until(() => askedFor(model, 'thinker').length === 1)
  proxy.refuse(true)
  proxy.cut()
  answers = true
  await sleep(AWAY_MS)
  proxy.flow()
  expect(await momentOf(world, correlation, 40)).toMatchObject({ outcome: 'act' })
  expect(askedFor(model, 'thinker')).toHaveLength(1)
})

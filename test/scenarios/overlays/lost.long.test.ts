/**
 * The worker that holds the overlays of calls is killed while it makes these calls, and another one goes on.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { moments, summon } from '@treeos/client'
import { VaultClient } from '@treeos/overlay/vault'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beingOf, until } from '../../support/life.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { startWorld, type World } from '../../support/world.ts'

/** The full size is 100. */
const CALLS = Number(process.env.TREEOS_LOST_CALLS ?? 20)
const BEINGS = Array.from({ length: CALLS }, (_, n) => `being-${n + 1}`)
const OVERLAY = 'Speak as a harbour master would, in one short line.'

let processes: Processes
let model: ModelServer
let world: World
beforeAll(async () => {
  processes = await prepareProcesses()
  await mkdir(join(processes.home, 'tmp'))
  model = await startModelServer()
  world = await startWorld({ modelUrl: model.url })
  for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'resident' })
  await world.stopWorker()
}, 120_000)
afterAll(async () => {
  await model?.close()
  await processes?.close()
  await world?.close()
})

describe('a worker that dies with the overlays of calls', () => {
  it('ends each call as OVERLAY_LOST, tells its asker, and no model is asked without the overlay', async () => {
    const keyFile = join(processes.home, 'vault-key')
    const holder = processes.start(world, {
      OPENAI_BASE_URL: model.url,
      TREEOS_MODEL: 'test',
      TREEOS_VAULT_KEY: keyFile,
    })
    expect(await holder.ready).toBe(true)
    const key = Buffer.from((await readFile(keyFile, 'utf8')).trim(), 'base64url')
    const at = { ...world, vaults: new VaultClient(key) }
    model.reset()
    model.script(async () => {
      await sleep(120_000) // longer than the holder lives
      return { content: 'too late' }
    })
    const asked = BEINGS.map((target) =>
      summon(at, {
        target,
        content: 'what is new?',
        as: 'operator',
        waitSeconds: 100,
        overlay: { content: OVERLAY },
      }).then(
        ({ moment }) => `answered: ${moment?.outcome}`,
        (error: { code?: string }) => String(error.code),
      ),
    )
    const calls = () => model.requests.filter(({ body }) => body !== null)
    await until(async () => calls().length >= CALLS / 2, { seconds: 60, what: 'calls under way' })
    holder.kill()
    await holder.ended
    await sleep(500) // requests that it had sent
    const before = calls().length
    model.script(() => ({ content: 'answered without the overlay' }))
    await world.startWorker()
    expect(await Promise.all(asked)).toEqual(BEINGS.map(() => 'OVERLAY_LOST'))
    expect(calls()).toHaveLength(before)
    for (const { body } of calls()) expect(String(body!.messages.at(-1)?.content)).toContain(OVERLAY)
    expect(new Set(calls().map(({ body }) => beingOf(body!))).size).toBe(before)
    for (const name of BEINGS) {
      const [moment] = await moments(world.db, name)
      expect(moment).toMatchObject({ outcome: 'failure', reason: 'OVERLAY_LOST' })
      expect(moment?.message).toMatch(/The model is not asked without it: send it again$/)
    }
  }, 180_000)

  it('the next call is answered: nothing of the loss stays', async () => {
    const { moment } = await summon(world, {
      target: BEINGS[0]!,
      content: 'and now?',
      as: 'operator',
      waitSeconds: 40,
      overlay: { content: OVERLAY },
    })
    expect(moment?.overlay?.tiers).toEqual(['call'])
  }, 60_000)
})

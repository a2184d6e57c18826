/** Builds with two versions of an extension, whose runs Temporal's Worker Versioning pins to them. */
import { randomUUID } from 'node:crypto'
import type { WorkerOptions } from '@temporalio/worker'
import { readVersions, useExtension } from '@treeos/reality'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boardIn, firstBoard, secondBoard } from '../../support/board.ts'
import { momentOf, tell, until } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer } from '../../support/use-world.ts'
import { startWorld, type World } from '../../support/world.ts'

const BEINGS = Array.from({ length: 6 }, (_, i) => `keeper-${i}`)
const deploymentName = `rollout-${randomUUID().slice(0, 8)}`
const pinned = (buildId: string): Partial<WorkerOptions> => ({
  workerDeploymentOptions: {
    version: { deploymentName, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  },
})

const model = useModelServer()
let world: World

/** Refused until a worker of the version polls. */
const setCurrent = (buildId: string) =>
  until(
    () =>
      world.temporal.workflowService
        .setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName, buildId })
        .then(
          () => true,
          () => false,
        ),
    { seconds: 90, what: `build ${buildId}` },
  )
const use = (version: string) => useExtension({ db: world.owner, reality: world.reality }, 'board', version)
const tellAll = (text: string) => Promise.all(BEINGS.map((being) => tell(world, being, text)))
async function expectAnswered(wakes: readonly string[]): Promise<string[]> {
  for (const wake of wakes) expect(await momentOf(world, wake, 100)).toMatchObject({ outcome: 'act' })
  const boards = model.requests.slice(-wakes.length).map(({ body }) => boardIn(body?.messages[0]?.content))
  return [...new Set(boards)]
}

beforeAll(async () => {
  world = await startWorld({ extensions: [firstBoard], modelUrl: model.url, worker: pinned('one') })
  await setCurrent('one')
  for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'board:keeper' })
}, 120_000)
afterAll(() => world?.close())

it('beings that are pinned to an older build go over to the newer one with the extension, and back', async () => {
  expect(await expectAnswered(await tellAll('begin'))).toEqual(['1.0.0'])
  await world.startWorker([secondBoard], pinned('two'))
  await until(async () => (await readVersions(world)).installed.get('board')?.length === 2)
  for (const [build, version] of [
    ['two', '2.0.0'],
    ['one', '1.0.0'],
    ['two', '2.0.0'],
  ] as const) {
    // Between the two commands the moments of neither build fail: those without their code wait.
    const before = await tellAll('before')
    await setCurrent(build)
    const between = await tellAll('between')
    await use(version)
    await expectAnswered([...before, ...between])
    expect(await expectAnswered(await tellAll('after'))).toEqual([version])
  }
}, 400_000)

it('everything replays and verifies', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
}, 100_000)

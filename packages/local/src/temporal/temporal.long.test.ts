/** More servers of Temporal: beside another, in a folder of an odd name, and after a kill. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { killedWhileStarting, temporaryFolders } from '../../test/instances.ts'
import { attributesOf, searchAttributes, start, using } from '../../test/temporal-scene.ts'

const folder = temporaryFolders()

it('a server runs beside that of another instance, each with its own workflows', async () => {
  const [one, two] = await Promise.all([start(folder()), start(folder())])
  expect(one.address).not.toBe(two.address)
  await using(one, ({ workflow }) => workflow.start('x', { taskQueue: 'q', workflowId: 'mine', args: [] }))
  const missing = using(two, ({ workflow }) => workflow.getHandle('mine').describe())
  await expect(missing).rejects.toThrow('not found')
  await one.stop()
  expect(await attributesOf(two)).toEqual([...searchAttributes].sort())
  await two.stop()
})

it('a server keeps its database in its folder, whatever the name of that is', async () => {
  const name = 'a b#c%41?d&é日'
  const parent = folder()
  const dataDir = join(parent, name)
  const server = await start(dataDir)
  await server.stop()
  expect(readdirSync(parent)).toEqual([name])
  expect(readdirSync(join(dataDir, 'temporal'))).toContain('server.db')
  const again = await start(dataDir)
  expect(await attributesOf(again)).toEqual([...searchAttributes].sort())
  await again.stop()
})

it('a server goes on from a start that was killed', async () => {
  const dataDir = folder()
  await killedWhileStarting('ensureTemporal', dataDir)
  const server = await start(dataDir)
  expect(server.reused).toBe(true)
  expect(await attributesOf(server)).toEqual([...searchAttributes].sort())
  await server.stop()
})

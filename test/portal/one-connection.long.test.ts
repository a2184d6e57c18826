/**
 * A look holds a connection while it lasts. If it waited for a second one, as many looks as there are
 * connections would wait for each other for ever. With a pool of one connection a single look would.
 */

import { chart, inspectSpace, summon, surroundings } from '@treeos/client'
import { openDatabase } from '@treeos/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await summon(world, { target: 'echo', content: 'hello', as: 'operator', waitSeconds: 30 })
})
afterAll(() => world?.close())

it.each([
  ['the tree of spaces', (at: World) => surroundings(at, 'operator')],
  ['a space', (at: World) => inspectSpace(at, 'operator', '/library', { limit: 10 })],
  ['a map', (at: World) => chart(at, 'operator', '/library')],
])('%s is read by one connection', { timeout: 10_000 }, async (_what, look) => {
  const db = openDatabase(world.url, { poolMax: 1 })
  try {
    expect(JSON.stringify(await look({ ...world, db }))).toContain('/library')
  } finally {
    await db.destroy()
  }
})

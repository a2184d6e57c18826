/** A world in which rooms and signals change, and puppets whose flows read them. */
import { act } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import type { Extension } from '@treeos/sdk'
import { sql } from 'kysely'
import { beforeAll } from 'vitest'
import { play, untilChangesRest } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

export const ROOMS = ['/hall', '/yard']

/** A flow that reads these paths. */
export const reads = (...paths: string[]): JsonObject[] =>
  paths.map((path) => ({ stack: true, when: { [path]: { present: true } }, role: 'stage:mode-1' }))

/** Makes the world of a file. */
export function useChanges(more: readonly Extension[] = []) {
  const model = useModelServer()
  const world = useWorld({ extensions: [stage, ...more], modelServer: model })
  beforeAll(async () => {
    for (const path of [...ROOMS, '/cell']) await operate('create-space', '/', { path })
  })
  const operate = (operation: string, target: string | null, args: JsonObject) =>
    act(world, 'operator', { verb: 'do', operation, target, args })
  const publish = (namespace: string, key: string, value: Json) =>
    operate('set-world-signal', null, { namespace, key, value })
  const puppet = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
  const move = (name: string, to: string) =>
    play(world, name, { verb: 'do', operation: 'move', target: to, args: {} })
  const quiet = () => untilChangesRest(world)

  /** Wakes by change of every being, by the moment that caused them. */
  async function changeWakes(): Promise<{ id: string; being: string; closed: boolean }[]> {
    const { rows } = await sql<{ id: string; being: string; closed: boolean }>`
      select id, being, closed_by is not null as closed from treeos.inbox where id like 'change/%'`.execute(
      world.owner,
    )
    return rows
  }

  return { world, model, operate, publish, puppet, move, quiet, changeWakes }
}

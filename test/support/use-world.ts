import { afterAll, beforeAll } from 'vitest'
import { type ModelServer, startModelServer } from './model-server.ts'
import { startWorld, type World, type WorldOptions } from './world.ts'

/**
 * A model server that runs from the first test of a file to the last. It has no fields before the first
 * `beforeAll` ends.
 */
export function useModelServer(): ModelServer {
  const server = {} as ModelServer
  beforeAll(async () => void Object.assign(server, await startModelServer()))
  afterAll(() => server.close?.())
  return server
}

export interface UsedWorldOptions extends WorldOptions {
  /** the models that its beings ask; started before it, so named by the server and not by its URL */
  readonly modelServer?: ModelServer
}

/**
 * A world that runs from the first test of a file to the last. It has no fields before the first `beforeAll`
 * ends; a file that births beings does so in a `beforeAll` of its own.
 */
export function useWorld({ modelServer, ...options }: UsedWorldOptions = {}): World {
  const world = {} as World
  beforeAll(async () => {
    const model = modelServer === undefined ? {} : { modelUrl: modelServer.url }
    Object.assign(world, await startWorld({ ...options, ...model }))
  })
  afterAll(() => world.close?.())
  return world
}

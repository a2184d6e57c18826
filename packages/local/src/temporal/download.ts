import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CLI_VERSION, type PinnedArchive, pinnedArchive } from './pinned-archive.ts'

const FIRST_BYTE_MS = 5_000 // by then a slow network has sent something, and a closed one has not
const STALL_MS = 30_000
const POLL_MS = 200

/** Name of the downloaded CLI in its folder. Another version has another name, so it is downloaded anew. */
export const DOWNLOADED = `temporal-${CLI_VERSION}`

/**
 * Downloads the pinned CLI of Temporal into `folder` and checks its checksum. A failure is reported in one
 * line and is not an error, since a server can be found in another way. It runs in a process of its own, so
 * that a network that hangs can be cut off, and with the proxy that the environment names.
 */
export async function downloadTemporal(
  folder: string,
  { env, onProgress }: { env: NodeJS.ProcessEnv; onProgress: (line: string) => void },
  archive: PinnedArchive | null = pinnedArchive(),
): Promise<void> {
  if (archive === null) {
    onProgress(`no temporal on PATH, and no download is pinned for ${process.platform} on ${process.arch}`)
    return
  }
  mkdirSync(folder, { recursive: true })
  onProgress(
    `no temporal on PATH: downloading Temporal's CLI ${CLI_VERSION} (TREEOS_NO_DOWNLOAD=1 skips this)`,
  )
  // Built, both files end in .js.
  const script = join(import.meta.dirname, `download-child${extname(import.meta.filename)}`)
  const child = spawn(process.execPath, [script, folder, DOWNLOADED, archive.url, archive.sha256], {
    env: { ...env, NODE_USE_ENV_PROXY: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000)
  })
  let stalled = false
  let size = -1
  let since = Date.now()
  const watch = setInterval(() => {
    const now = bytesIn(folder)
    if (now !== size) since = Date.now()
    size = now
    if (Date.now() - since < (size > 0 ? STALL_MS : FIRST_BYTE_MS)) return
    stalled = true
    child.kill('SIGKILL')
  }, POLL_MS)
  const [code] = await once(child, 'close').finally(() => clearInterval(watch))
  if (code === 0) return
  const reason = stalled ? 'nothing arrives' : (output.trim().split('\n').at(-1) ?? `status ${code}`)
  onProgress(`the download is not possible here (${reason})`)
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

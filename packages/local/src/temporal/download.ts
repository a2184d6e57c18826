import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

const FIRST_BYTE_MS = 5_000 // by then a slow network has sent something, and a closed one has not
const STALL_MS = 30_000
const POLL_MS = 200

/**
 * Lets the Temporal SDK download its CLI into `folder`. A failure is reported in one line and is not an error, since a server
 * can be found in another way. The SDK has no way to cancel, so it runs in a process that can be ended.
 */
export async function downloadTemporal(
  folder: string,
  { env, onProgress }: { env: NodeJS.ProcessEnv; onProgress: (line: string) => void },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  onProgress('no temporal on PATH: asking the Temporal SDK to download one (TREEOS_NO_DOWNLOAD=1 skips this)')
  // Built, both files end in .js.
  const script = join(import.meta.dirname, `download-child${extname(import.meta.filename)}`)
  const child = spawn(process.execPath, [script, folder], { env, stdio: ['ignore', 'ignore', 'pipe'] })
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

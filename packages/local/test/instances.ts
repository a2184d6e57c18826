import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { removeInstance } from '../src/instance/remove.ts'

/** The environment without servers of the user's own, and without a try of the network. */
export const bareEnv: NodeJS.ProcessEnv = { ...process.env, TREEOS_NO_DOWNLOAD: '1' }
for (const name of Object.keys(bareEnv)) {
  if (name.startsWith('TEMPORAL_') || name === 'DATABASE_URL') delete bareEnv[name]
}

/**
 * Folders for the tests of one file. What was started in them is ended, and they are removed, after the last
 * test.
 */
export function temporaryFolders(): (mode?: number) => string {
  const folders: string[] = []
  afterAll(async () => {
    for (const folder of folders) await removeInstance(folder)
  })
  return (mode = 0o711) => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-local-'))
    chmodSync(folder, mode)
    folders.push(folder)
    return folder
  }
}

/**
 * Runs `call` of all that `index.ts` exports in a process that is killed while its server starts, once that
 * is on record.
 */
export async function killedWhileStarting(call: string, dataDir: string): Promise<void> {
  const index = JSON.stringify(join(import.meta.dirname, '../src/index.ts'))
  const script = `import * as local from ${index}
    import { existsSync, readFileSync } from 'node:fs'
    const record = ${JSON.stringify(join(dataDir, 'instance.json'))}
    const isRecorded = () => existsSync(record) && readFileSync(record, 'utf8').includes('"pid"')
    const onProgress = (line) => {
      if (line.startsWith('starting')) setInterval(() => isRecorded() && process.kill(process.pid, 'SIGKILL'), 1)
    }
    await local.${call}({ dataDir: ${JSON.stringify(dataDir)}, searchAttributes: [], onProgress })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { env: bareEnv })
  const [, signal] = await once(child, 'exit')
  if (signal !== 'SIGKILL') throw new Error('the start was over before it could be killed')
}

/**
 * An extension that turns on the worker which loads it, by TREEOS_EXTENSIONS: each script commits its crime
 * the first time.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { defineExtension, type Script, silence } from '@treeos/sdk'

export const HOSTILE_PATH = import.meta.filename

const once =
  (name: string, commit: () => void): Script =>
  () => {
    const done = join(process.env.HOSTILE_FOLDER ?? '', name)
    if (!existsSync(done)) {
      writeFileSync(done, '')
      commit()
    }
    return silence
  }

const CRIMES: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(3),
  abort: () => process.abort(),
  die: () => process.kill(process.pid, 'SIGKILL'),
  hoard: () => {
    for (const held: string[][] = []; ; )
      held.push(Array.from({ length: 100_000 }, (_, i) => `${i}`.repeat(3)))
  },
  loop: () => {
    while (true);
  },
  reject: () => void Promise.reject(new Error('nobody waits for this')),
  throwLater: () =>
    void setImmediate(() => {
      throw new Error('nobody catches this')
    }),
  // From now on each digest of this process is of other bytes.
  forge() {
    const crypto = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto')
    const { createHash, hash } = crypto
    Object.assign(crypto, {
      createHash: (name: string) => createHash(name).update('forged'),
      ...(hash === undefined ? {} : { hash: (name: string, data: string) => hash(name, `forged${data}`) }),
    })
    syncBuiltinESMExports()
  },
}
export const CRIME_NAMES = Object.keys(CRIMES)

export default defineExtension({
  name: 'hostile',
  version: '1.0.0',
  scripts: Object.fromEntries(
    Object.entries(CRIMES).map(([name, commit]) => [`hostile:${name.toLowerCase()}`, once(name, commit)]),
  ),
})

import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What an extension is made of. */
const SOURCES = '**/*.{ts,mts,cts,js,mjs,cjs,json,md,txt}'
/** Folders of packages, and hidden ones such as `.git` and `.treeos`. */
const EXCLUDED = ['**/node_modules/**', '**/.*/**']
const POLL_MS = 300

/**
 * Calls back with the files that changed, came or went, until the signal aborts. It looks at them again and
 * again, which works on each file system: events do not come through from the host of a container, and
 * watching whole trees takes handles that Linux counts.
 * @param onChange nothing is looked at while it runs; what changed meanwhile comes with the next call
 */
export async function watchFiles(
  folders: readonly string[],
  { signal, pollMs = POLL_MS }: { readonly signal: AbortSignal; readonly pollMs?: number },
  onChange: (files: readonly string[]) => Promise<void>,
): Promise<void> {
  let known = filesState(folders)
  while (await isPausing(pollMs, signal)) {
    let now = filesState(folders)
    if (differing(known, now).length === 0) continue
    // An editor writes several files, or one in parts: wait until all rest.
    for (let before = known; differing(before, now).length > 0 && (await isPausing(pollMs, signal)); ) {
      before = now
      now = filesState(folders)
    }
    const changed = differing(known, now)
    known = now
    if (changed.length > 0 && !signal.aborted) await onChange(changed)
  }
}

type State = ReadonlyMap<string, string>

function filesState(folders: readonly string[]): State {
  const state = new Map<string, string>()
  for (const folder of folders)
    for (const file of globSync(SOURCES, { cwd: folder, exclude: EXCLUDED })) {
      const path = join(folder, file)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found?.isFile() === true) state.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`)
    }
  return state
}

const differing = (a: State, b: State): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((file) => a.get(file) !== b.get(file)).sort()

const isPausing = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal }).catch(() => false)

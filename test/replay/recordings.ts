/**
 * Recorded histories: `test/histories/<set>/<scene>/<being>/<run>.json.gz`. They prove that runs which began
 * earlier still replay. From the first release on none is changed or deleted: a version that does something
 * else is recorded as another set.
 */
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { type History, readArchive } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import type { WorkflowRun } from '@treeos/replay'

export const REPOSITORY = resolve(import.meta.dirname, '../..')
const PATH = 'test/histories'
export const HISTORIES = join(REPOSITORY, PATH)

export interface Recorded extends WorkflowRun {
  /** `<set>/<scene>` */
  readonly scene: string
  /** of a task or a schedule `+task`, `+schedule` */
  readonly being: string
}

/** Every recorded run, sorted by set, scene and being. */
export async function readRecordings(): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  for (const set of await foldersIn(HISTORIES))
    for (const scene of await foldersIn(join(HISTORIES, set))) {
      const folder = join(HISTORIES, set, scene)
      for (const being of await foldersIn(folder))
        for (const [runId, history] of await readArchive(folder, being)) {
          const workflowId = beingWorkflowId('recorded', being)
          recorded.push({ scene: `${set}/${scene}`, being, workflowId, runId, history })
        }
    }
  return recorded
}

const foldersIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()

/** A history to change. */
export const copyOf = (history: History): History => historyFromJSON(JSON.parse(historyToJSON(history)))

const COMMIT_OF_TAG = '%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)'

/**
 * Recordings that a tag of this clone holds, and that were changed or deleted since. Empty where there are no
 * tags, or no commits.
 */
export async function changedSinceTags(repository: string): Promise<string[]> {
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', ['-C', repository, ...args])
    return stdout.split('\n').filter((line) => line !== '')
  }
  const isClone = await git('rev-parse', 'HEAD').then(Boolean, () => false)
  if (!isClone) return []
  const tagged = new Set(await git('for-each-ref', '--merged=HEAD', `--format=${COMMIT_OF_TAG}`, 'refs/tags'))
  const changed = new Set<string>()
  for (const commit of tagged)
    for (const file of await git(
      'diff',
      '--name-only',
      '--no-renames',
      '--diff-filter=a',
      commit,
      '--',
      PATH,
    ))
      changed.add(file)
  return [...changed].sort()
}

import { stat } from 'node:fs/promises'
import { exportHistories } from './histories.ts'
import { dumpTables, filesIn, filesOfDatabase, findIn, findInFile } from './leaks.ts'
import type { World } from './world.ts'

export interface Sinks {
  readonly world: World
  /** folder of the servers of the run */
  readonly instance: string
  /** folder of the worker processes */
  readonly worker: string
}

export interface Searched {
  /** `<sink>: <word> as <form>` */
  readonly found: readonly string[]
  readonly searched: { files: number; bytes: number; tables: number; histories: number }
}

/** Searches wherever a run may have written: tables, histories, and the files of servers and workers. */
export async function searchSinks(
  { world, instance, worker }: Sinks,
  wanted: Readonly<Record<string, string>>,
): Promise<Searched> {
  const searched = { files: 0, bytes: 0, tables: 0, histories: 0 }
  const found = new Set<string>()
  const note = (where: string, hits: readonly string[]) => {
    for (const hit of hits) found.add(`${where}: ${hit}`)
  }
  for (const [table, bytes] of await dumpTables(world.owner)) {
    searched.tables += 1
    note(`table ${table}`, findIn(bytes, wanted))
  }
  for (const { text, history } of await exportHistories(world)) {
    searched.histories += 1
    note('exported history', findIn(Buffer.from(text), wanted))
    note('decoded history', findIn(Buffer.from(JSON.stringify(history)), wanted))
  }
  const searchFiles = async (place: string, root: string, files: readonly string[]) => {
    for (const file of files) {
      searched.files += 1
      searched.bytes += (await stat(file).catch(() => null))?.size ?? 0
      note(`${place} ${file.slice(root.length + 1)}`, await findInFile(file, wanted))
    }
  }
  const postgres = await filesOfDatabase(world.owner)
  await searchFiles('postgres', postgres.root, postgres.files)
  await searchFiles('instance', instance, await filesIn(instance))
  await searchFiles('worker', worker, await filesIn(worker))
  return { found: [...found], searched }
}

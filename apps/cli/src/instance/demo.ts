import { plantScene } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { Extension } from '@treeos/world'
import type { Output } from '../text/output.ts'
import { withServices } from './connection.ts'

/** @throws {TreeosError} INVALID_INPUT with the names of all demos */
export async function requireDemo(name: string): Promise<Extension> {
  const { loadExtensions } = await import('@treeos/worker/extensions')
  const showing = (await loadExtensions()).filter(({ scene }) => scene.length > 0)
  const found = showing.find((extension) => extension.name === name)
  if (found !== undefined) return found
  const names = showing.map((extension) => extension.name).sort()
  throw new TreeosError(
    'INVALID_INPUT',
    `there is no demo ${JSON.stringify(name)}; there is ${names.join(', ')}`,
  )
}

/** Plants the scene in an instance whose worker runs. */
export async function plantDemo(dataDir: string, demo: Extension, out: Output): Promise<void> {
  const kept: string[] = []
  const isNew = await withServices({ data: dataDir }, (at) =>
    plantScene(
      at,
      demo,
      (line) => out.progress(line),
      (why) => kept.push(why),
    ),
  )
  for (const why of kept) out.progress(`not changed: ${why}`)
  if (kept.length > 0)
    out.progress(
      `so ${demo.name} may not behave as described: \`treeos up --demo ${demo.name} --data DIR\` plants it in an instance of its own`,
    )
  if (!isNew) out.progress(`${demo.name} was planted before, and was not changed`)
}

import { type MatterRow, TreeosError, type WorldReader } from '@treeos/sdk'

/** Type of the things that files are kept as. A child holds its own files. */
export const FILE = 'lineage:file'

/** The files that a being holds, by path. */
export async function filesOf(world: WorldReader, being: string): Promise<Map<string, MatterRow>> {
  const ids = await world.matters(`@${being}`)
  await world.prefetch(ids.map((id) => `matter:${id}`))
  const rows = await Promise.all(ids.map((id) => world.matter(id)))
  return new Map(
    rows.flatMap((row): [string, MatterRow][] => {
      const at = (row?.content as { path?: unknown } | null | undefined)?.path
      return row === null || row.type !== FILE || typeof at !== 'string' ? [] : [[at, row]]
    }),
  )
}

export const fileText = ({ content }: MatterRow): string => String((content as { text?: unknown }).text ?? '')

export async function requireFile(world: WorldReader, being: string, at: string): Promise<MatterRow> {
  const files = await filesOf(world, being)
  const file = files.get(at)
  if (file !== undefined) return file
  const there = [...files.keys()].sort().slice(0, 20).join(', ')
  throw new TreeosError(
    'MATTER_NOT_FOUND',
    `@${being} has no file ${at}; it has ${there === '' ? 'none' : there}`,
  )
}

/** An id that no thing has yet, since an id is never used again. */
export async function freeId(world: WorldReader, being: string, at: string): Promise<string> {
  const plain = `${being}-${at.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`.slice(0, 56).replace(/-+$/, '')
  for (let n = 1; n < 1000; n++) {
    const id = n === 1 ? plain : `${plain}-${n}`
    if ((await world.row(`matter:${id}`)) === null) return id
  }
  throw new TreeosError('RESOURCE_CONFLICT', `no id is free for a file ${at} of @${being}`)
}

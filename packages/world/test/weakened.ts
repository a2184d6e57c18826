import type { World } from './authority-play.ts'

/**
 * The operations that would take a being beyond its makers if anyone could do them. Controls open one at a time: a property that holds all
 * the same sees nothing.
 */
export const GUARDED = [
  'set-roleflow',
  'set-being',
  'end-being',
  'pause-being',
  'set-space',
  'create-space',
  'add-contributor',
  'create-matter',
  'set-matter',
  'write-matter',
] as const

/** The code with another operation in the place of one. */
export function replacing(
  code: World,
  name: string,
  change: (operation: World['seed']['operations'][number]) => Partial<World['seed']['operations'][number]>,
): World {
  const { seed } = code
  if (!seed.operations.some((one) => one.name === name)) throw new Error(`there is no operation ${name}`)
  const operations = seed.operations.map((one) => (one.name === name ? { ...one, ...change(one) } : one))
  return { ...code, seed: { ...seed, operations } }
}

/** The code in which anyone may do an operation. */
export const opened = (code: World, name: (typeof GUARDED)[number]): World =>
  replacing(code, name, () => ({ allow: ['anyone'] }))

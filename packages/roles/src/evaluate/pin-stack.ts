import type { PinnedRole, PinnedStack, Stack } from '@treeos/core'
import type { Program } from '../shape/program.ts'

/** Pins the roles of a stack by the digests that they have in the program. */
export function pinStack(program: Pick<Program, 'roles'>, { primary, stacked }: Stack): PinnedStack {
  const pinned = (name: string): PinnedRole => ({ name, digest: program.roles[name]?.digest ?? '' })
  return { primary: pinned(primary), stacked: stacked.map(pinned) }
}

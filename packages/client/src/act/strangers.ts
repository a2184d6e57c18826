import type { BeingName } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import type { Connection } from './acts.ts'

/** Whether a being is a stranger to another one: neither that one itself nor one of its makers. */
export async function isStranger(
  at: Pick<Connection, 'db' | 'reality'>,
  { as, to }: { readonly as: BeingName; readonly to: BeingName },
): Promise<boolean> {
  if (as === to) return false
  return !(await readerOf(at).lineage(to)).some(({ name }) => name === as)
}

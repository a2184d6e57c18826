import type { BeingName, VerbCall } from '@treeos/core'
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

/**
 * Whether an act of a program counts as words from outside although its token is a person's: a model that reads marked words may hold the
 * token, and must not be able to vouch for them.
 */
export const isFromProgram = (call: VerbCall): boolean => call.verb === 'do' && call.action === 'vouch'

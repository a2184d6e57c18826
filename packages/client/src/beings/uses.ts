import { type BeingName, stanceOf } from '@treeos/core'
import { type Presence, readerOf } from '@treeos/reality'
import { covers, ROLE_MANAGER, type Surface } from '@treeos/world'
import { seesAllPasts } from '../access/past-access.ts'

/**
 * What a being may use by its lists now, so that a page offers that alone. The rules of each target decide in
 * any case.
 */
export interface Uses {
  /** it is the first operator */
  readonly all: boolean
  /** the catalog of roles */
  readonly roles: boolean
  readonly births: boolean
  readonly signals: boolean
  /** any operation */
  readonly acts: boolean
}

/** @param surface null: it wears no role now */
export async function usesOf(
  at: Presence,
  being: BeingName,
  surface: Pick<Surface, 'canSee' | 'canDo' | 'canBe'> | null,
): Promise<Uses> {
  const all = seesAllPasts(await readerOf(at).being(being))
  const { canSee, canDo, canBe } = surface ?? NOTHING
  return {
    all,
    roles: covers(canSee, stanceOf(ROLE_MANAGER)) !== undefined,
    births: covers(canBe, 'birth') !== undefined,
    signals: covers(canDo, 'set-world-signal') !== undefined,
    acts: canDo.length > 0,
  }
}

const NOTHING = { canSee: [], canDo: [], canBe: [] }

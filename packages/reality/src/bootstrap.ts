import type { FactDraft } from '@treeos/core'
import { createReality, REALITY_MADE, type Reality, type StoreDb } from '@treeos/store'
import { genesisFacts, type Registry, spaceKey } from '@treeos/world'
import type { Kysely } from 'kysely'
import { installExtensions } from './install.ts'
import { readerOf } from './open-reality.ts'
import { appendSystemFacts } from './system-facts.ts'
import { requireTimeZone } from './time-zone.ts'

/**
 * Creates the reality of a database unless it has one: its row, the roles of the registry, the first spaces
 * and beings. Safe to run again: it changes nothing that exists.
 * @param owner a handle opened with `asOwner`
 * @throws {TreeosError} INVALID_INPUT for a time zone that Node or Postgres does not know
 */
export async function bootstrapReality(
  owner: Kysely<StoreDb>,
  registry: Registry,
  wanted: { readonly name: string; readonly timeZone: string; readonly taskQueue?: string | undefined },
): Promise<{ readonly reality: Reality; readonly created: boolean }> {
  const timeZone = await requireTimeZone(owner, wanted.timeZone)
  const made = await createReality(owner, { ...wanted, timeZone })
  const at = { db: owner, reality: made.reality }
  await installExtensions(at, registry)
  const reader = readerOf(at)
  if ((await reader.row(spaceKey('/'))) === null)
    await appendSystemFacts(at, [...genesisFacts(), madeFact(made.reality)], reader)
  return made
}

const madeFact = ({ name, timeZone }: Reality): FactDraft => ({
  ...REALITY_MADE,
  payload: { name, timeZone },
})

import type { FactDraft } from '@treeos/core'
import { type ChainDb, createReality, REALITY_MADE, type Reality, rebuildRow } from '@treeos/store'
import { FOLD, genesisFacts, type Registry, spaceKey, watchesOf } from '@treeos/world'
import type { Kysely } from 'kysely'
import { installDelegates, installRoles } from './install.ts'
import { readerOf } from './open-reality.ts'
import { listRowsOf } from './rows.ts'
import { appendSystemFacts } from './system-facts.ts'

/**
 * Creates the reality of a database unless it has one: its row, the roles of the registry, the first spaces and beings.
 * Safe to run again: it changes nothing that exists.
 * @param owner a handle opened with `asOwner`
 */
export async function bootstrapReality(
  owner: Kysely<ChainDb>,
  registry: Registry,
  wanted: { readonly name: string; readonly timeZone: string },
): Promise<{ readonly reality: Reality; readonly created: boolean }> {
  const made = await createReality(owner, wanted)
  const at = { db: owner, reality: made.reality }
  await installRoles(at, registry)
  const reader = readerOf(at)
  if ((await reader.row(spaceKey('/'))) === null)
    await appendSystemFacts(at, [...genesisFacts(), madeFact(made.reality)], reader)
  await installDelegates(at)
  await rebuildMissingWatches(owner)
  return made
}

const madeFact = ({ name, timeZone }: Reality): FactDraft => ({
  ...REALITY_MADE,
  payload: { name, timeZone },
})

/** Rebuilds missing watches from the rows of beings. Realities made by older versions have beings without watches. */
async function rebuildMissingWatches(owner: Kysely<ChainDb>): Promise<void> {
  const watched = new Set(
    (await owner.selectFrom('watch').select('being').distinct().execute()).map((row) => row.being),
  )
  for (const { key, row: being } of await listRowsOf(owner, 'being:')) {
    if (!watched.has(being.name) && watchesOf(being).length > 0) await rebuildRow(owner, key, FOLD)
  }
}

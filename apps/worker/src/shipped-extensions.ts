import careful from '@treeos/careful'
import emotions from '@treeos/emotions'
import library from '@treeos/library'
import lineage from '@treeos/lineage'
import memory from '@treeos/memory'
import panel from '@treeos/panel'
import type { Extension } from '@treeos/sdk'

/**
 * The extensions that our worker and our command line always load: one for each folder of `extensions/`. This
 * is the only list of them. Worlds to start from are in `worlds.ts`. A new one is added here, to the
 * dependencies of this package and to the table in docs/extensions.md.
 */
export const shipped: readonly Extension[] = [careful, emotions, library, lineage, memory, panel]

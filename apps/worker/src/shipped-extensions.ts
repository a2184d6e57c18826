import careful from '@treeos/careful'
import court from '@treeos/court'
import emotions from '@treeos/emotions'
import factory from '@treeos/factory'
import fitness from '@treeos/fitness'
import food from '@treeos/food'
import harmony from '@treeos/harmony'
import library from '@treeos/library'
import lineage from '@treeos/lineage'
import memory from '@treeos/memory'
import panel from '@treeos/panel'
import type { Extension } from '@treeos/sdk'
import weather from '@treeos/weather'

/**
 * The extensions that our worker and our command line always load: one for each folder of `extensions/`. This is the only
 * list of them. A new one is added here, to the dependencies of this package and to the table in docs/extensions.md.
 */
export const shipped: readonly Extension[] = [
  careful,
  court,
  emotions,
  factory,
  fitness,
  food,
  harmony,
  library,
  lineage,
  memory,
  panel,
  weather,
]

import court from '@treeos/court'
import emotions from '@treeos/emotions'
import factory from '@treeos/factory'
import fitness from '@treeos/fitness'
import food from '@treeos/food'
import harmony from '@treeos/harmony'
import library from '@treeos/library'
import panel from '@treeos/panel'
import type { Extension } from '@treeos/sdk'
import weather from '@treeos/weather'

/** What our worker and our command line load. A world of your own is a worker of your own with a list of its own. */
export const extensions: readonly Extension[] = [
  court,
  emotions,
  factory,
  fitness,
  food,
  harmony,
  library,
  panel,
  weather,
]

import court from '@treeos/court'
import factory from '@treeos/factory'
import fitness from '@treeos/fitness'
import food from '@treeos/food'
import harmony from '@treeos/harmony'
import type { Extension } from '@treeos/sdk'
import weather from '@treeos/weather'
import { shipped } from '@treeos/worker/shipped'

/** The shipped extensions and the worlds to start from, by name. */
export const ours: readonly Extension[] = [
  ...shipped,
  ...[court, factory, fitness, food, harmony, weather],
].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Those with a scene. */
export const demos = ours.filter(({ scene }) => scene.length > 0)

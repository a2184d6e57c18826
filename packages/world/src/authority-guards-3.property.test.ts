/** See authority-guards-1. */
import { mustFailWithout } from '../test/authority-runs.ts'
import { GUARDS } from '../test/guards.ts'

mustFailWithout(GUARDS.filter((_, i) => i % 3 === 2))

/** The guards are tried in three files, which run side by side. */
import { mustFailWithout, mustPassWhole } from '../test/authority-runs.ts'
import { GUARDS } from '../test/guards.ts'

mustFailWithout(GUARDS.filter((_, i) => i % 3 === 0))
mustPassWhole(GUARDS[0]!)

/**
 * A project of its own, which runs after all others: on two cores, what is killed beside other tests stalls
 * for want of CPU.
 */

import { testAttacks, testControls } from './experiments.ts'
import { GROUNDS } from './scenarios/index.ts'

testAttacks(GROUNDS.storm)
if (process.env.TREEOS_NIGHTLY === '1') testControls(GROUNDS.storm)

/**
 * A project of its own, which runs after all others: on two cores, what is killed beside other tests stalls
 * for want of CPU.
 */

import { IS_NIGHT } from '../support/night.ts'
import { testAttacks, testControls } from './experiments.ts'
import { GROUNDS } from './scenarios/index.ts'

testAttacks(GROUNDS.storm)
if (IS_NIGHT) testControls(GROUNDS.storm)

import { testAttacks } from './experiments.ts'
import { GROUNDS } from './scenarios/index.ts'

testAttacks(GROUNDS.commits)

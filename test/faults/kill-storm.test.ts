/** A project of its own, which runs after all others: on two cores, what is killed beside other tests stalls for want of CPU. */
import { GROUNDS } from './scenarios/index.ts'
import { tryControls, tryOut } from './trials.ts'

tryOut(GROUNDS.storm)
if (process.env.TREEOS_NIGHTLY === '1') tryControls(GROUNDS.storm)

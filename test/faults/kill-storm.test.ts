/** A project of its own, run after all others: beside them, on two cores, what is killed stalls for want of CPU. */
import { scenarios } from './scenarios/index.ts'
import { tryOut } from './trials.ts'

tryOut(scenarios.filter(({ name }) => name === 'kill-storm'))

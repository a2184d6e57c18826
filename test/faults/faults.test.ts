import { scenarios } from './scenarios/index.ts'
import { tryOut } from './trials.ts'

tryOut(scenarios.filter(({ name }) => name !== 'kill-storm'))

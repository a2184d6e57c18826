import { GROUNDS } from './scenarios/index.ts'
import { tryOut } from './trials.ts'

tryOut(GROUNDS.links)

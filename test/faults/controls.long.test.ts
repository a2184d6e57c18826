import { GROUNDS } from './scenarios/index.ts'
import { tryControls } from './trials.ts'

const { storm: _, ...others } = GROUNDS
tryControls(Object.values(others).flat())

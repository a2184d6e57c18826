import { testControls } from './experiments.ts'
import { GROUNDS } from './scenarios/index.ts'

const { storm: _, ...others } = GROUNDS
testControls(Object.values(others).flat())

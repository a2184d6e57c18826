/** A world as one readable file without history, and back by acts of the person who plants it. */
export { exportWorld } from './export.ts'
export { planOf } from './plan.ts'
export { plantWorld } from './plant.ts'
export { readWorldRows } from './rows.ts'
export { readWorldText, readYaml, writeWorld } from './text.ts'

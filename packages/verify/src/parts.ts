/** The steps of a derivation, one by one: for those who compare them with another implementation. */
export { holds, rolesFor } from './flow.ts'
export { deriveListGate, deriveRuleGate } from './receipt/gates.ts'
export { World } from './receipt/world.ts'

/**
 * Joins world and store: typed rows over the database, the reading that opens a moment, composition,
 * bootstrap.
 */

export { readProgram, readSpec, specFrom } from './blobs.ts'
export { bootstrapReality } from './bootstrap.ts'
export { codeOf, codesOf } from './code-of.ts'
export {
  type CurrentVersion,
  type ExtensionVersions,
  type ExtensionVersionsView,
  listExtensionVersions,
  readVersions,
} from './extension-versions.ts'
export { endExtension, type Installation, installExtensions, useExtension } from './install.ts'
export { findThreadCut, liveQuestions } from './live-questions.ts'
export {
  type ComposedMoment,
  composeLoaded,
  contentHeard,
  findMoment,
  type LoadedMoment,
  promptDigestOf,
  specsOf,
} from './loaded-moment.ts'
export { type OpenReality, readerOf, UnknownBeingError } from './open-reality.ts'
export { authorizeActingAs, type Presence, requireBeing } from './persons.ts'
export { beginReading, type MomentReading, readForMoment } from './read-for-moment.ts'
export { recordRestores } from './recorded-restores.ts'
export { findBeing, listRowsOf, listSchedulingBeings } from './rows.ts'
export { asIfSealed, openedIn, readableBy, type SealedAct, sealCall, sealingOf } from './sealed-calls.ts'
export { sealingCodeOf } from './sealing-code.ts'
export { setStandardBudgets } from './standard-budgets.ts'
export { appendSystemFacts } from './system-facts.ts'

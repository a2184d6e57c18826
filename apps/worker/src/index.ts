/** The worker of our own instances, and the extensions that it loads. */
export { absoluteModules, loadExtensions } from './extensions.ts'
export type { CheckedMind, CheckedMinds } from './minds.ts'
export { type PreparedServices, prepareServices } from './prepare-services.ts'

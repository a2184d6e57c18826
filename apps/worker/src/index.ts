/** The worker of our own instances, and the list of what it loads. */
export { absoluteModules, loadExtensions } from './extensions.ts'
export { nameAndCode, type RunningWorker, startWorker } from './worker.ts'

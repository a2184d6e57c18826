/** The worker of our own instances, and the list of what it loads. */
export { extensions } from './extensions.ts'
export { nameAndCode, type RunningWorker, startWorker } from './worker.ts'

/** What a timeout costs a call into a context of node:vm: `node bench/upstream/guarded-calls.mjs`. */
import { createContext, runInContext, Script } from 'node:vm'

const CALLS = 5000
const context = createContext({}, { microtaskMode: 'afterEvaluate' })
runInContext('globalThis.nothing = () => 1', context)
const script = new Script('nothing()')
for (const timeout of [5000, undefined, 5000, undefined]) {
  const [before, began] = [process.cpuUsage(), performance.now()]
  for (let n = 0; n < CALLS; n++) script.runInContext(context, { timeout, displayErrors: true })
  const { user, system } = process.cpuUsage(before)
  const wall = (1000 * (performance.now() - began)) / CALLS
  console.log(`timeout ${timeout}: ${((user + system) / CALLS).toFixed(1)} µs of CPU, ${wall.toFixed(1)} µs`)
}

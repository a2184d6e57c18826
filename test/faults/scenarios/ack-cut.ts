import type { Scenario } from '../scenario.ts'

/**
 * The commit happens and its acknowledgement does not arrive, which a kill at a random time hardly ever hits.
 */
export const ackCut: Scenario<{ cuts: number }> = {
  name: 'ack-cut',
  about: 'a commit whose acknowledgement is cut leaves one set of facts',
  sizes: { test: { cuts: 40 }, full: { cuts: 1000 }, control: { cuts: 10 } },
  experiment: { persons: 6, scripted: 8, llm: 4 },
  async attack(experiment, { cuts }) {
    const { proxy } = experiment.ground.postgres
    const random = experiment.random.fork()
    await experiment.keepWorker().worker.ready
    const before = proxy.counts.unheardCommits
    const done = () => proxy.counts.unheardCommits - before
    let wanted = 0
    const isAppend = (statement: string) => /treeos\.append(_together)?\(/.test(statement)
    proxy.unhear({
      wanted: (statement) => isAppend(statement) && wanted < cuts && random.chance(0.5) && ++wanted > 0,
    })
    const load = experiment.load(16)
    let told = 0
    while (done() < cuts) {
      await experiment.progress()
      experiment.faults.push(Date.now())
      // An append that met a stale head committed nothing, so its answer passed.
      wanted = Math.max(wanted, 0)
      if (wanted >= cuts && done() < cuts) wanted = done()
      if (done() - told >= 100) {
        told = done()
        experiment.say(`${told} of ${cuts} acknowledgements cut`)
      }
    }
    proxy.unhear(null)
    await load.stop()
    return { cuts: done() }
  },
  control: { without: 'unkeyed-append', sign: /other facts than its record says/ },
}

import { Client, Connection } from '@temporalio/client'
import { act } from '@treeos/client'
import { verifyChains } from '@treeos/proofs'
import { replay } from '@treeos/replay'
import { findReality, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { describeMachine } from '../machine.ts'
import { diary } from '../moment/diary.ts'
import { startLanes } from '../moment/lanes.ts'
import { Process } from '../moment/process.ts'
import { Race } from '../moment/race.ts'
import { Profiling } from '../profile.ts'
import { withServices } from '../services.ts'
import { round } from '../statistics.ts'
import { hashMoments, readMoments } from './baselines.ts'
import { verifyExported } from './exported.ts'

export interface ReplayOptions {
  readonly size: 'small' | 'full'
  readonly moments: number | undefined
  readonly rounds: number | undefined
  readonly profile: boolean
  readonly onProgress: (line: string) => void
}

const MOMENTS = { small: 500, full: 10_000 } as const // half of them are the operator's
const BEINGS = 50
/** Functions that a profile lists. */
const LISTED = 40

/**
 * Lives moments of the operator, who speaks to scripted beings, and of these, then replays all of them from
 * the chain, again and again.
 */
export function benchReplay({ size, moments, rounds = 3, profile, onProgress }: ReplayOptions) {
  const turns = Math.ceil((moments ?? MOMENTS[size]) / BEINGS / 2)
  return withServices(onProgress, async (services) => {
    const connection = await Connection.connect(services.temporal.options)
    services.atEnd(() => connection.close())
    const temporal = new Client({ connection, namespace: services.temporal.namespace })
    const stub = Process.stub()
    services.atEnd(() => stub.stop())
    const { url: modelUrl } = await stub.hear('listening')
    const course = { services, temporal, modelUrl, beings: BEINGS, poolMax: 20, other: undefined, onProgress }
    const [lane] = await startLanes(course, ['scripted'])
    if (lane === undefined) throw new Error('there is no lane')
    const db = openDatabase(lane.databaseUrl, { asOwner: true, poolMax: 8 })
    services.atEnd(() => db.destroy())
    const reality = await findReality(db)
    if (reality === null) throw new Error('the lane made no reality')
    const registry = buildRegistry([seed, diary])
    const speak = async (being: string, _n: number, content: string) => {
      const summon = {
        verb: 'summon',
        target: `@${being}`,
        content,
        inReplyTo: null,
        expectReply: false,
      } as const
      await act({ db, reality, registry, temporal }, 'operator', summon)
    }
    const race = new Race({ ...lane, begin: speak })
    lane.process.onDone = (being, n) => race.done(being, n)
    onProgress(`living ${turns * BEINGS * 2} moments`)
    await race.run(lane.crowd, { turns })
    await lane.process.stop()
    const hashAlone = await hashMoments(db)
    const sha256 = await bestOf(rounds, async () => hashAlone())
    onProgress(`sha256 alone: ${sha256} moments a second`)
    const reading = await bestOf(rounds, () => readMoments(db))
    onProgress(`reading the rows: ${reading} moments a second`)
    const rates: number[] = []
    const cpu: number[] = []
    const profiling = profile ? new Profiling() : null
    for (let i = 0; i < rounds; i++) {
      if (i === rounds - 1) await profiling?.start()
      const [began, used] = [performance.now(), process.cpuUsage()]
      const replayed = await replay(
        { db, temporal: null, reality, registry },
        { beings: null, from: 'chain' },
      )
      const [fault] = replayed.mismatches
      if (fault !== undefined) throw new Error(`the replay differs: ${JSON.stringify(fault)}`)
      const { user, system } = process.cpuUsage(used)
      rates.push(round(replayed.moments / ((performance.now() - began) / 1000)))
      cpu.push(round((user + system) / 1000 / replayed.moments))
      onProgress(`replayed ${replayed.moments} moments: ${rates.at(-1)} a second`)
    }
    const functions = await profiling?.stop()
    const began = performance.now()
    const { facts, ok } = await verifyChains(db, reality.id)
    if (!ok) throw new Error('the chains are broken')
    const verified = round(facts / ((performance.now() - began) / 1000))
    onProgress('writing all of it into an audit bundle')
    const bundle = await verifyExported(db, reality)
    const best = Math.max(...rates)
    return {
      benchmark: 'replay',
      at: new Date().toISOString(),
      machine: describeMachine(),
      parameters: { beings: BEINGS, moments: turns * BEINGS * 2, rounds },
      momentsASecond: { best, rounds: rates, sha256, reading },
      cpuMsAMoment: Math.min(...cpu),
      factsVerifiedASecond: verified,
      bundle,
      ratios: {
        'replay/sha256': round(best / sha256),
        'replay/reading': round(best / reading),
        'replay/verify': round(best / verified),
      },
      ...(functions === undefined ? {} : { profile: functions.slice(0, LISTED) }),
    }
  })
}

/** @param work returns what it did. @returns the most a second, of all rounds */
async function bestOf(rounds: number, work: () => Promise<number>): Promise<number> {
  let best = 0
  for (let i = 0; i < rounds; i++) {
    const began = performance.now()
    const done = await work()
    best = Math.max(best, done / ((performance.now() - began) / 1000))
  }
  return round(best)
}

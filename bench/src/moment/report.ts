import { median, percentile, round, spread } from '../statistics.ts'
import { type Lane, WHAT } from './lanes.ts'
import type { Measured } from './measure.ts'

/** Turns per second. */
export const rateOf = ({ heat }: Measured) => (heat.turns / heat.ms) * 1000

/** The medians of a lane's heats. @param crowds of all its beings at once @param solos of one alone */
export function report(lane: Lane, crowds: readonly Measured[], solos: readonly Measured[]) {
  const perTurn = (of: (measured: Measured) => number) =>
    round(median(crowds.map((measured) => of(measured) / measured.heat.turns)))
  const cpu = (name: string) => perTurn(({ cpuMs }) => cpuMs[name] ?? Number.NaN)
  const names = Object.keys(crowds[0]?.cpuMs ?? {})
  const known = crowds.flatMap(({ history }) => (history === null ? [] : [history]))
  return {
    what: WHAT[lane.name],
    turnsPerSecond: {
      median: round(median(crowds.map(rateOf))),
      runs: crowds.map((one) => round(rateOf(one))),
    },
    latencyMs: {
      alone: spread(solos.flatMap(({ heat }) => heat.latencies)),
      inTheCrowd: spread(crowds.flatMap(({ heat }) => heat.latencies)),
    },
    cpuMsPerTurn: {
      ...Object.fromEntries(names.map((name) => [name, cpu(name)])),
      total: perTurn(({ cpuMs }) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)),
    },
    workerThreads: Object.fromEntries(
      [...(crowds[0]?.threadMs.keys() ?? [])]
        .map((name) => [name, perTurn(({ threadMs }) => threadMs.get(name) ?? 0)] as const)
        .filter(([, ms]) => ms > 0),
    ),
    sqlPerTurn: {
      roundTrips: perTurn(({ statements }) => statements.reduce((sum, { count }) => sum + count, 0)),
      transactions: perTurn(({ transactions }) => transactions),
      walBytes: perTurn(({ walBytes }) => walBytes),
    },
    model: {
      callsPerTurn: perTurn(({ modelCalls }) => modelCalls),
      requestBytesPerTurn: perTurn(({ modelBytes }) => modelBytes),
    },
    historyPerTurn:
      known.length === 0
        ? null
        : {
            events: round(median(known.map(({ events }) => events))),
            bytes: round(median(known.map(({ bytes }) => bytes))),
          },
    foreignCores: crowds.map(({ foreignCores }) => round(foreignCores, 2)),
  }
}

/**
 * Ratios of medians: our turns per second to theirs, and their CPU per turn to ours. More is better for us.
 */
export function ratiosOf(crowds: ReadonlyMap<string, readonly Measured[]>) {
  const turnsPerSecond: Record<string, number> = {}
  const cpuPerTurn: Record<string, number> = {}
  for (const [ours, mine] of crowds) {
    if (!isOurs(ours)) continue
    for (const [theirs, other] of crowds) {
      if (isOurs(theirs) && theirs !== `${ours}-other`) continue
      turnsPerSecond[`${ours}/${theirs}`] = round(median(mine.map(rateOf)) / median(other.map(rateOf)))
      cpuPerTurn[`${theirs}/${ours}`] = round(median(other.map(cpuOfTurn)) / median(mine.map(cpuOfTurn)))
    }
  }
  return { turnsPerSecond, cpuPerTurn, p95OverP50: Object.fromEntries([...crowds].map(spreadOf)) }
}

/** How much longer some beings wait than most, in all heats. */
function spreadOf([name, measured]: readonly [string, readonly Measured[]]): [string, number] {
  const ms = measured.flatMap(({ heat }) => heat.latencies)
  return [name, round(percentile(ms, 0.95) / percentile(ms, 0.5), 2)]
}

const cpuOfTurn = ({ cpuMs, heat }: Measured) =>
  Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0) / heat.turns

/**
 * When other processes use more than this share of a core, rates of single heats are unreliable; see
 * `foreignCores`.
 */
const FOREIGN_CORES_MAX = 0.25

export const isQuiet = (crowds: ReadonlyMap<string, readonly Measured[]>) =>
  [...crowds.values()].flat().every(({ foreignCores }) => foreignCores <= FOREIGN_CORES_MAX)

export const isOurs = (name: string) => /^(llm|scripted)/.test(name)

import { setTimeout as sleep } from 'node:timers/promises'
import {
  bad,
  type DoctorCheck,
  dataFlag,
  good,
  isAlive,
  isWorker,
  keeperOf,
  locatePostgres,
  metricsOf,
  RECHECK,
  readInstance,
  readVitals,
  runningWorkers,
  UP,
  unseen,
  type Vitals,
  type Wakes,
  wakeLimit,
} from '@treeos/local'
import {
  countPaced,
  countParked,
  type DifferingStack,
  type Login,
  listDifferingStacks,
  listPacedAuthors,
  listUnclaimed,
  listWorkers,
  measureInboxes,
  openDatabase,
  readLogin,
} from '@treeos/store'
import { duration } from '../text/output.ts'
import { describePaced, describeParked, LIMITS } from './status.ts'

/** A wake that waits longer is reported. It need not be a fault: a model may take two minutes. */
const OLD_SECONDS = 60
/** From this many waiting wakes on, they are counted twice, to see whether they grow. */
const MANY = 20
const RECHECK_MS = 3000
/** Single calls fail now and then. A tenth of all calls is reported. */
const FAILING_SHARE = 0.1
const BEINGS_NAMED_MAX = 3

/** What was found of an instance that was started. */
export interface Signs {
  /** recorded services, and whether their processes run; a dead worker is left out while another runs */
  readonly services: readonly { readonly name: string; readonly pid: number | null; readonly runs: boolean }[]
  /** the process that starts again what ends; null when none does */
  readonly keeper: number | null
  /** running workers; url is null until a worker has reported where its metrics are */
  readonly workers: readonly {
    readonly pid: number
    readonly url: string | null
    readonly answers: boolean
  }[]
  readonly vitals: Vitals | null
  readonly wakes: Wakes | null
  /** the same a little later, when many waited */
  readonly wakesLater: Wakes | null
  /** beings that a budget has parked */
  readonly parked: number
  /** how many of the wakes wait for a budget of moments a minute */
  readonly paced: number
  /** persons whose beings change too much for others, and in how many seconds the last wake of theirs comes */
  readonly pacedAuthors: readonly { readonly person: string; readonly seconds: number }[]
  /** some of the beings whose wakes are old */
  readonly late: readonly string[]
  /** moments whose runs failed because worker and workflow disagree about their stack */
  readonly differing: readonly DifferingStack[]
  /** workers that live, wherever they run; null while Postgres does not tell */
  readonly living: number | null
  /** how workers log in to Postgres */
  readonly login: Login | null
  /** why Postgres could not be read; null when it was, or when none was started */
  readonly unread: unknown
}

/** Checks an instance that runs, or should run. @returns no checks where nothing was started */
export async function examineLife(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  const services = readInstance(dataDir).services.filter(({ name }) => name !== UP)
  if (services.length === 0) return examineOwnWorkers(dataDir, env)
  const urls = new Map(metricsOf(dataDir).map(({ pid, url }) => [pid, url]))
  const { vitals, silent } = await readVitals([...urls.values()])
  const workers = runningWorkers(dataDir).map(({ process: { pid } }) => {
    const url = urls.get(pid) ?? null
    return { pid, url, answers: url !== null && !silent.includes(url) }
  })
  const told = services.filter((service) => isAlive(service) || !isWorker(service) || workers.length === 0)
  return judgeLifeSigns(
    {
      services: told.map((service) => ({
        name: service.name,
        pid: service.process?.pid ?? null,
        runs: isAlive(service),
      })),
      keeper: keeperOf(dataDir),
      workers,
      vitals,
      ...(await readLine(dataDir, env)),
    },
    dataFlag(dataDir),
  )
}

/** Workers, Temporal and Postgres of the user's own: Postgres alone tells how they live. */
async function examineOwnWorkers(dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorCheck[]> {
  if (postgresUrlOf(dataDir, env) === null) return []
  const line = await readLine(dataDir, env)
  return judgeLifeSigns({ services: [], keeper: null, workers: [], vitals: null, ...line }, dataFlag(dataDir))
}

/** Reads the waiting wakes from Postgres, which also answers while no worker does. */
async function readLine(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<Omit<Signs, 'services' | 'keeper' | 'workers' | 'vitals'>> {
  const known = { late: [], parked: 0, paced: 0, pacedAuthors: [], differing: [] }
  const nothing = { wakes: null, wakesLater: null, ...known, living: null, login: null, unread: null }
  const url = postgresUrlOf(dataDir, env)
  if (url === null) return nothing
  const db = openDatabase(url, { poolMax: 1 })
  try {
    const wakes = await measureInboxes(db)
    const parked = await countParked(db)
    const paced = await countPaced(db)
    const pacedAuthors = await listPacedAuthors(db)
    const differing = await listDifferingStacks(db)
    const login = await readLogin(db)
    const living = (await listWorkers(db)).length
    const late =
      wakes.oldestSeconds < OLD_SECONDS ? [] : await listUnclaimed(db, OLD_SECONDS, BEINGS_NAMED_MAX + 1)
    const found = { ...nothing, wakes, late, parked, paced, pacedAuthors, differing, living, login }
    if (wakes.waiting < MANY) return found
    await sleep(RECHECK_MS)
    return { ...found, wakesLater: await measureInboxes(db) }
  } catch (error) {
    return { ...nothing, unread: error }
  } finally {
    await db.destroy()
  }
}

/** The database of an instance. @returns null where it cannot be told: other checks say why */
export function postgresUrlOf(dataDir: string, env: NodeJS.ProcessEnv): string | null {
  try {
    return locatePostgres(dataDir, env).url
  } catch {
    return null
  }
}

/** @param flag the option by which `treeos` commands reach this instance */
export function judgeLifeSigns(signs: Signs, flag: string): DoctorCheck[] {
  return [
    ...(signs.services.length === 0 ? [] : [{ name: 'instance', ...judgeServices(signs, flag) }]),
    ...(signs.living === null ? [] : [{ name: 'workers', ...judgeLiving(signs.living, flag) }]),
    ...(signs.workers.length === 0 ? [] : [{ name: 'metrics', ...judgeMetrics(signs, flag) }]),
    ...(signs.unread === null ? [] : [unseen('wakes', signs.unread, RECHECK)]),
    ...(signs.wakes === null ? [] : [{ name: 'wakes', ...judgeWakes(signs, signs.wakes, flag) }]),
    ...(signs.differing.length === 0 ? [] : [{ name: 'stacks', ...judgeStacks(signs.differing, flag) }]),
    ...(signs.pacedAuthors.length === 0
      ? []
      : [{ name: 'changes', ...judgeAuthors(signs, flag), optional: true as const }]),
    ...(signs.login === null ? [] : [{ name: 'login', ...judgeLogin(signs.login), optional: true as const }]),
    ...(signs.parked === 0
      ? []
      : [{ name: 'budgets', ...judgeParked(signs, flag), optional: true as const }]),
    ...(signs.vitals === null
      ? []
      : [{ name: 'model', ...judgeModel(signs.vitals, flag), optional: true as const }]),
  ]
}

/** A worker that is taken over has all rights of its login, whatever role it runs as. */
function judgeLogin({ name, isSuperuser, ownsTables }: Login) {
  const found = `workers log in to Postgres as ${name}`
  if (!isSuperuser && !ownsTables) return good(`${found}, which owns nothing`)
  const what = isSuperuser ? 'a superuser' : 'the owner of the tables'
  return bad(
    `${found}, ${what}: a worker that is taken over may rewrite the record`,
    'make a role that owns nothing, as in docs/running.md (A Postgres of your own), and name it in DATABASE_URL',
  )
}

function judgeServices({ services, keeper, workers }: Signs, flag: string) {
  const mend = `treeos up${flag}`
  const ended = services.filter(({ runs }) => !runs).map(({ name, pid }) => `${name} (process ${pid})`)
  if (ended.length > 0)
    return bad(`${ended.join(' and ')} ended${workers.length > 0 ? '' : ', no worker runs'}`, mend)
  if (workers.length === 0) return bad('no worker runs: no being acts until one does', mend)
  if (keeper === null)
    return bad('no supervisor runs: what ends is not started again', `treeos up --detach${flag}`)
  return good(`${services.map(({ name }) => name).join(', ')} run`)
}

function judgeLiving(living: number, flag: string) {
  return living === 0
    ? bad('no worker has told Postgres that it lives within 15 s', `treeos worker${flag}, or start your own`)
    : good(`${living === 1 ? '1 worker lives' : `${living} workers live`}, wherever they run`)
}

function judgeMetrics({ workers }: Signs, flag: string) {
  const silent = workers.filter(({ url, answers }) => url !== null && !answers)
  if (silent.length > 0) {
    const who = silent.map(({ pid, url }) => `process ${pid} does not answer at ${url}`).join('; ')
    return bad(
      `${who}: it hangs, or has far too much to do`,
      `kill -9 ${silent.map(({ pid }) => pid).join(' ')}, then treeos up${flag}`,
    )
  }
  const starting = workers.filter(({ url }) => url === null).map(({ pid }) => pid)
  if (starting.length > 0)
    return good(`process ${starting.join(', ')} is starting, and waits for its services: see its log`)
  return good(workers.map(({ url }) => url).join(', '))
}

function judgeStacks(differing: readonly DifferingStack[], flag: string) {
  const named = differing.slice(0, BEINGS_NAMED_MAX).map(({ moment, message }) => `${moment}: ${message}`)
  const more = differing.length - named.length
  return bad(
    `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}. These beings live no more, since their runs fail`,
    `start the workers with the code by which the record is right, or treeos accept-difference MOMENT${flag}: docs/running.md (When worker and workflow disagree)`,
  )
}

function judgeAuthors({ pacedAuthors }: Signs, flag: string) {
  const named = pacedAuthors
    .slice(0, BEINGS_NAMED_MAX)
    .map(({ person, seconds }) => `@${person} (the last one in ${duration(seconds)})`)
  const more = pacedAuthors.length - named.length
  return bad(
    `the beings of ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} change what wakes others more than 600 times a minute: the wakes wait`,
    `treeos tail${flag} shows what they write; let them write less often, or let fewer flows read it`,
  )
}

function judgeParked({ parked }: Signs, flag: string) {
  const [them, their] = parked === 1 ? ['it', 'its'] : ['them', 'their']
  return bad(
    `${describeParked(parked)}: ${their} wakes wait until somebody approves`,
    `treeos inbox${flag} says of whom and of which limit; treeos budget set @BEING JSON, or treeos do @BEING unpark-being, lets ${them} go on`,
  )
}

function judgeWakes(
  { wakesLater, late, paced, workers, living, vitals }: Signs,
  { waiting, oldestSeconds }: Wakes,
  flag: string,
) {
  const limit = wakeLimit({ wakes: { waiting, oldestSeconds }, paced, living, load: vitals?.load ?? null })
  const because = limit === null || workers.length === 0 ? '' : `; what limits is ${LIMITS[limit]}`
  const wakes = `${waiting === 1 ? '1 wake waits' : `${waiting} wakes wait`}${describePaced(waiting, paced)}`
  const isAlone = workers.length === 0 && !living
  const more = isAlone ? `treeos up${flag}` : `treeos worker${flag} (one more)`
  if (paced < waiting && wakesLater !== null && wakesLater.waiting > waiting)
    return bad(
      `${wakes}, and ${RECHECK_MS / 1000} s later ${wakesLater.waiting}: wakes come in faster than moments end${because}`,
      more,
    )
  // `late` leaves out beings that wait for a budget. So where it is empty, the old wakes may all be theirs.
  if (oldestSeconds >= OLD_SECONDS && (paced === 0 || late.length > 0)) {
    const named = late.slice(0, BEINGS_NAMED_MAX).map((being) => `@${being}`)
    const whose =
      named.length === 0 ? '' : ` (of ${named.join(', ')}${late.length > named.length ? ', …' : ''})`
    const why = isAlone ? 'no worker runs' : 'its being is busy, or stuck'
    return bad(
      `${wakes}, the oldest for ${duration(oldestSeconds)}${whose}: ${why}`,
      isAlone
        ? more
        : `${more}; if that does not help, treeos status${flag} names the Temporal UI, where the being's timeline says why`,
    )
  }
  return good(
    waiting === 0 ? 'nothing waits' : `${wakes}, the oldest for ${duration(oldestSeconds)}${because}`,
  )
}

function judgeModel({ models, moments }: Vitals, flag: string) {
  const { calls, failures, lost } = models
  const unset = moments.reasons.LLM_NOT_CONFIGURED ?? 0
  const restart = `treeos down${flag}, then treeos up${flag}`
  if (unset > 0)
    return bad(
      `${unset} ${unset === 1 ? 'moment' : 'moments'} failed since the start because no model is connected`,
      `set OPENAI_API_KEY (or OPENAI_BASE_URL) and TREEOS_MODEL, or start Ollama; ${restart}`,
    )
  const wrong = failures + lost
  const found = `${calls} calls since the start, ${failures} failed, ${lost} lost and tried again`
  if (wrong === 0 || wrong < FAILING_SHARE * calls) return good(calls === 0 ? 'not called yet' : found)
  const say =
    failures > 0
      ? 'treeos moments @BEING tells why of each; check OPENAI_API_KEY, OPENAI_BASE_URL and TREEOS_MODEL'
      : 'check that OPENAI_BASE_URL answers, and that the provider is not out of quota'
  return bad(found, `${say}; ${restart}`)
}

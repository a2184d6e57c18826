import { bootstrapReality } from '@treeos/reality'
import { findReality, migrate, openDatabase, type Reality } from '@treeos/store'
import type { Registry } from '@treeos/world'
import {
  addSearchAttributes,
  missingSearchAttributes,
  type OperatorCalls,
  TakenSearchAttributeError,
} from './search-attributes.ts'

export interface PrepareOptions {
  /** of `@temporalio/worker`, or a `Connection` of `@temporalio/client` */
  readonly connection: OperatorCalls
  /** Temporal's namespace; default `default` */
  readonly namespace?: string
  /** the database as the owner of its tables; default the `databaseUrl` of the worker */
  readonly ownerUrl?: string
  /** name of a new reality; default `home` */
  readonly reality?: string
  /** IANA time zone of a new reality; default UTC */
  readonly timeZone?: string
  /** task queue of a new reality, such as one that your workers poll; default one of its own */
  readonly taskQueue?: string
}

export interface PreparedReality {
  /** the reality of the database; an older one keeps its name, time zone and task queue */
  readonly reality: Reality
  /** the task queue that the worker must poll */
  readonly taskQueue: string
}

const NAME = 'home'

/**
 * Brings the schema of a database to this version, creates its reality unless it has one, and adds the search
 * attributes that are missing in Temporal. Safe to repeat, and to call in several processes at once.
 */
export async function prepare(
  databaseUrl: string,
  registry: Registry,
  options: PrepareOptions,
): Promise<PreparedReality> {
  const { connection, namespace = 'default', reality: name = NAME, timeZone = 'UTC', taskQueue } = options
  await addSearchAttributes(connection, namespace)
  const owner = openDatabase(options.ownerUrl ?? databaseUrl, { asOwner: true, poolMax: 2 })
  try {
    await migrate(owner)
    const { reality } = await bootstrapReality(owner, registry, { name, timeZone, taskQueue })
    return { reality, taskQueue: reality.taskQueue }
  } catch (error) {
    throw isForbidden(error) ? otherLogin(error, options.ownerUrl ?? databaseUrl) : error
  } finally {
    await owner.destroy()
  }
}

/** SQLSTATE of a missing right. */
const isForbidden = (error: unknown): error is Error => (error as { code?: unknown }).code === '42501'

/** Only the owner of the tables may make and change them, so a worker's login cannot prepare. */
function otherLogin(error: Error, url: string): Error {
  const login = decodeURIComponent(URL.parse(url)?.username ?? '') || 'this login'
  return new Error(
    `${login} may not make or change the tables of TreeOS (${error.message}). \`prepare\` takes the login that owns them as \`ownerUrl\`, ` +
      'and the program `prepare` of the worker as TREEOS_OWNER_DATABASE_URL. What `treeos up` keeps is prepared: there a worker needs no `prepare`',
    { cause: error },
  )
}

/** Where a worker polls. */
export interface Place {
  readonly connection: PrepareOptions['connection']
  readonly namespace: string
  readonly taskQueue: string
}

/**
 * Checks what would otherwise show as an error of every moment, or as beings that never answer.
 * @throws {Error} that says what is missing and what adds it
 */
export async function requirePrepared(
  { connection, namespace, taskQueue }: Place,
  reality: Reality,
): Promise<void> {
  const wanted = reality.taskQueue
  if (taskQueue !== wanted)
    throw new Error(
      `this worker polls the task queue ${taskQueue}, but the beings of reality ${reality.name} wait in ${wanted}: ` +
        `create the worker with taskQueue: '${wanted}'`,
    )
  // A server that does not let workers list them may have them all the same.
  const missing = await missingSearchAttributes(connection, namespace).catch((error: unknown) => {
    if (error instanceof TakenSearchAttributeError) throw error
    return []
  })
  if (missing.length > 0)
    throw new Error(
      `namespace ${namespace} of Temporal has no search attributes ${missing.join(', ')}: ${HOW_TO_PREPARE} adds them`,
    )
}

const HOW_TO_PREPARE = '`await treeos({ … }).prepare({ connection })`'
/** SQLSTATE of an undefined table, schema, column or function. */
const OTHER_SCHEMA = /^(42P01|3F000|42703|42883)$/

/** @throws {Error} that says what to do where the database has no reality, or no schema of this version */
export async function requireReality(db: Parameters<typeof findReality>[0]): Promise<Reality> {
  const reality = await findReality(db).catch((error: unknown) => {
    if (!OTHER_SCHEMA.test(String((error as { code?: unknown }).code))) throw error
    throw new Error(
      `this database holds no TreeOS of this version: ${HOW_TO_PREPARE} or \`treeos up\` makes it`,
      {
        cause: error,
      },
    )
  })
  if (reality === null)
    throw new Error(`this database holds no reality: ${HOW_TO_PREPARE} or \`treeos up\` creates one`)
  return reality
}

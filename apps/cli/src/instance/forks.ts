import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BeingName, isKey, parseStance, quote, TreeosError } from '@treeos/core'
import { ensurePostgres, instanceDir, removeInstance } from '@treeos/local'
import { cutAt, forkReality, verifyAll } from '@treeos/proofs'
import { migrate, openDatabase } from '@treeos/store'
import { FOLD } from '@treeos/world'
import type { InstanceOptions } from '../cli.ts'
import { argument, UsageError } from '../text/failure.ts'
import { userPath } from '../text/folder.ts'
import { asOwner, openReality } from './connection.ts'

/** Forks of an instance are instances in this folder of it, each with servers of its own. */
const FOLDER = 'forks'

const folderOf = (dataDir: string, name: string): string => join(dataDir, FOLDER, name)

export interface ForkedInstance {
  readonly reality: string
  /** folder of its instance, for `--data` */
  readonly data: string
  /** the last moment and the last entry of the journal that both share */
  readonly at: { readonly being: BeingName; readonly n: number; readonly entry: number }
  readonly facts: number
  readonly moments: number
  /** wakes that wait in it */
  readonly waiting: number
  /** every chain of it verifies */
  readonly ok: boolean
}

export interface NewFork {
  readonly dataDir: string
  readonly name: string
  readonly being: BeingName
  readonly n: number
  readonly onProgress: (line: string) => void
}

/**
 * Makes an instance whose reality shares the past of another. Its servers are stopped again: `treeos up`
 * starts them.
 * @throws {TreeosError} RESOURCE_CONFLICT when there is one of this name; MOMENT_NOT_FOUND
 */
export async function makeFork(
  options: InstanceOptions,
  { dataDir, name, being, n, onProgress }: NewFork,
): Promise<ForkedInstance> {
  const data = folderOf(dataDir, name)
  if (existsSync(data))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `${data} is there already: choose another name, or delete that fork with \`treeos fork ${name} --discard\``,
    )
  return asOwner(options, async (origin) => {
    await cutAt(origin, being, n) // a moment that is not there is refused before a server is started
    const env = Object.fromEntries(
      // these name the origin's Postgres
      Object.entries(process.env).filter(([variable]) => !variable.endsWith('DATABASE_URL')),
    )
    try {
      onProgress('making a Postgres for the fork')
      const postgres = await ensurePostgres({ dataDir: data, env, onProgress })
      const target = openDatabase(postgres.url, { asOwner: true, poolMax: 2 })
      try {
        await migrate(target)
        onProgress('copying what both share')
        const { entry, ...copied } = await forkReality(origin, target, { name, being, n })
        const { id } = await target.selectFrom('reality').select('id').executeTakeFirstOrThrow()
        const { ok } = await verifyAll(target, id, FOLD)
        return { reality: name, data, at: { being, n, entry }, ...copied, ok }
      } finally {
        await target.destroy()
        await postgres.stop()
      }
    } catch (error) {
      await removeInstance(data)
      throw error
    }
  })
}

/** Stops a fork and deletes all of it. @throws {TreeosError} INVALID_INPUT when there is none of this name */
export async function discardFork(dataDir: string, name: string): Promise<void> {
  const data = folderOf(dataDir, name)
  if (!existsSync(data)) throw unknownFork(dataDir, name)
  await removeInstance(data)
}

/**
 * The instance of a reality: that of the current instance or of one of its forks by name, or any by its
 * folder.
 * @throws {TreeosError} INVALID_INPUT
 */
export async function folderOfReality(options: InstanceOptions, named: string): Promise<InstanceOptions> {
  const dataDir = instanceDir(options)
  if (isKey(named) && existsSync(folderOf(dataDir, named))) return { data: folderOf(dataDir, named) }
  if (existsSync(join(userPath(named), 'instance.json'))) return { data: userPath(named) }
  const own = await openReality(options, async ({ reality }) => reality.name)
  if (named === own) return options
  throw unknownFork(dataDir, named, own)
}

function unknownFork(dataDir: string, name: string, own?: string): TreeosError {
  const folder = join(dataDir, FOLDER)
  const forks = existsSync(folder) ? readdirSync(folder) : []
  const known = [...(own === undefined ? [] : [own]), ...forks].join(', ') || 'none'
  return new TreeosError('INVALID_INPUT', `no reality ${quote(name)} is known here: there is ${known}`)
}

/** @throws {UsageError} */
export function requireForkName(name: string): void {
  if (!isKey(name))
    throw new UsageError(
      `the name of a fork is ${quote(name)}; it takes a kebab-case name of up to 64 characters, as in other-way`,
    )
}

/** @throws {UsageError} INVALID_INPUT, ADDRESS_PARSE_ERROR */
export function requireMoment(text: string): { readonly being: BeingName; readonly n: number } {
  const [, stance, n] = /^(.+):([1-9]\d{0,8})$/.exec(text) ?? []
  if (stance === undefined) throw new UsageError(`--at is ${quote(text)}; it takes a moment, as in @guard:3`)
  return { being: argument(() => parseStance(stance)), n: Number(n) }
}

/** Makes one attack after another, asks the auditor, and puts everything back. */
import { Random } from '../../faults/random.ts'
import { Auditor, type Finding, type Without } from './auditor.ts'
import { type Change, difference, make, undone } from './dump.ts'
import { Forgery } from './forgery.ts'
import { beingOfRun, type Event, firstDifference, type Histories } from './histories.ts'
import { type Changed, payloadsOf } from './history-edits.ts'
import {
  type Kind,
  type PostgresKind,
  someCheckpoints,
  type TemporalKind,
  type WholeKind,
  withLogOf,
} from './kinds.ts'
import { isLocated, isLocatedInHistory, type Places, placesOf, placesOfHistories } from './places.ts'
import type { Backup, Stage } from './stage.ts'

/** What became of one attack. */
export interface Attacked {
  /** what found it first; null: nothing did */
  readonly by: Finding['by'] | null
  /** what was found names the store, and the reel or being with the first number */
  readonly isLocated: boolean
  /** for whoever reads why: where it was, and what was found */
  readonly about: string
}

const DRAWS_MAX = 1000
const CHAINS = new Set(['fact', 'moment_outcome', 'head', 'reality'])

export class Attacker {
  readonly #stage: Stage
  readonly #auditor: Auditor
  /** both stores of which `verify` and `replay` were asked */
  readonly #silent = new Set<Backup>()

  constructor(stage: Stage, without: Without = new Set()) {
    this.#stage = stage
    this.#auditor = new Auditor(stage, without)
  }

  /** @param seed of this attack alone */
  attack(kind: Kind, seed: number): Promise<Attacked> {
    const random = new Random(seed)
    if (kind.store === 'postgres') return this.#postgres(kind, random)
    if (kind.store === 'temporal') return this.#temporal(kind, random)
    return this.#whole(kind, random)
  }

  async #postgres({ edit }: PostgresKind, random: Random): Promise<Attacked> {
    const { world, now, checkpoints } = this.#stage
    const changes = drawn(() => {
      const forgery = new Forgery(now.dump)
      edit(forgery, random)
      const changes = forgery.changes()
      return changes.length === 0 ? null : changes
    })
    const places = placesOf(changes, now.dump)
    await make(world, now.dump, changes)
    try {
      const verified = await this.#auditor.verify()
      if (changes.some(({ table }) => CHAINS.has(table))) await this.#agreeInSql(verified)
      // What hangs on the changed place may be named first. Then the next means names the place itself.
      let found = verified
      if (!isLocated(found, places)) found = [...found, ...(await this.#auditor.replay(null, 'both'))]
      if (!isLocated(found, places)) found = [...found, ...(await this.#auditor.checkpoints(checkpoints))]
      return told(found, places, isLocated, changes)
    } finally {
      await make(world, now.dump, undone(changes))
    }
  }

  /** Two stores that fit each other: without checkpoints nobody sees anything. */
  async #showNothing(backup: Backup): Promise<void> {
    if (this.#silent.has(backup)) return
    const seen = [...(await this.#auditor.verify()), ...(await this.#auditor.replay(null, 'both'))]
    if (seen.length > 0) throw new Error(`it shows without checkpoints: ${JSON.stringify(seen[0])}`)
    this.#silent.add(backup)
  }

  async #agreeInSql(found: readonly Finding[]): Promise<void> {
    const other = await this.#auditor.disagreements(found)
    if (other.length > 0) throw new Error(`verify and verify in SQL differ: ${other.join(', ')}`)
  }

  async #temporal({ edit }: TemporalKind, random: Random): Promise<Attacked> {
    const { archive, now } = this.#stage
    const changed = drawn(() => {
      const runs = edit(now.histories, random)
      return runs.size === 0 ? null : runs
    })
    const places = placesOfHistories(changed, now.histories)
    const beings = [...new Set([...changed.keys()].map(beingOfRun))]
    const found = await archive.with(changed, () => this.#auditor.replay(beings, 'temporal'))
    return told(found, places, isLocatedInHistory, shownRuns(changed, now.histories))
  }

  async #whole({ draw, keepsLog }: WholeKind, random: Random): Promise<Attacked> {
    const { world, archive, now, checkpoints } = this.#stage
    const { backup, shared } = draw(random)
    const to = keepsLog ? withLogOf(backup.dump, now.dump) : backup.dump
    const changes = difference(now.dump, to)
    await make(world, now.dump, changes)
    archive.fill(backup.histories)
    try {
      await this.#showNothing(backup)
      const found = await this.#auditor.checkpoints(someCheckpoints(checkpoints, shared, random))
      const first = keepsLog
        ? placesOf(difference(backup.dump, now.dump, ['fact', 'moment_outcome']), now.dump)
        : null
      const names = first === null ? isAfter(shared) : isLocated
      return told(found, first ?? new Map(), names, [`of ${shared} entries`])
    } finally {
      archive.fill(now.histories)
      await make(world, now.dump, undone(changes))
    }
  }
}

/** A checkpoint that fits ends with what is as it was; the next one does not fit. */
const isAfter =
  (shared: number) =>
  (found: readonly Finding[]): boolean =>
    found.some(({ why, says }) => {
      const [from = 0, to = 0] = says.split(' ').map(Number)
      return why === 'checkpoint-mismatch' && from <= shared && shared < to
    })

/** Draws until there is something. An attack that changes nothing does not count. */
function drawn<T>(draw: () => T | null): T {
  for (let i = 0; i < DRAWS_MAX; i++) {
    const value = draw()
    if (value !== null) return value
  }
  throw new Error(`nothing was changed in ${DRAWS_MAX} draws`)
}

function told(
  found: readonly Finding[],
  places: Places,
  names: (found: readonly Finding[], places: Places) => boolean,
  about: readonly (Change | string)[],
): Attacked {
  const what = about.slice(0, 3).map((change) => (typeof change === 'string' ? change : shown(change)))
  const findings = found
    .slice(0, 4)
    .map(({ by, reel, seq, why, says }) => `${by} ${reel}#${seq} ${why} ${says.slice(0, 200)}`)
  return {
    by: found[0]?.by ?? null,
    isLocated: names(found, places),
    about: JSON.stringify({ what, touched: [...places].slice(0, 4), findings }),
  }
}

function shownRuns(changed: Changed, from: Histories): string[] {
  return [...changed].map(([run, history]) => {
    const [were, are] = [from.get(run)?.events ?? [], history?.events ?? []]
    const i = firstDifference(were, are)
    const paths = (event: Event | undefined) =>
      payloadsOf(event ?? {}).map(
        ({ path, payload }) => `${path} ${Buffer.from(payload.data ?? []).toString('latin1')}`,
      )
    const other = paths(are[i]).filter((path) => !paths(were[i]).includes(path))
    return `${run} event ${i + 1} of ${were.length} (${typeOf(were[i])} → ${typeOf(are[i])}) ${other.join().slice(0, 300)}`
  })
}

const typeOf = (event: Event | undefined): string =>
  Object.keys(event ?? {}).find((name) => name.endsWith('Attributes')) ?? 'none'

function shown({ table, before, after }: Change): string {
  if (before === null || after === null)
    return `${table} ${before === null ? '+' : '-'} ${JSON.stringify(after ?? before).slice(0, 200)}`
  const columns = Object.keys(after).filter((name) => before[name] !== after[name])
  const values = columns.map(
    (name) => `${name}: ${before[name]?.slice(0, 80)} → ${after[name]?.slice(0, 80)}`,
  )
  return `${table} ${before.reel ?? before.moment ?? before.key ?? before.being ?? before.id}#${before.seq ?? before.n ?? ''} ${values.join(', ')}`
}

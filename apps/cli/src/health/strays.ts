import type { Client } from '@temporalio/client'
import { quote, stanceOf } from '@treeos/core'
import { findNameHolder } from '@treeos/host'
import { bad, type DoctorCheck, good, shellWord } from '@treeos/local'
import { BEING, REALITY } from '@treeos/protocol'
import { listAddresses, type Reality } from '@treeos/store'

const name = 'workflows'
const NAMED_MAX = 3
/** More runs than a query reads in a moment. */
const READ_MAX = 10_000

/** What open workflows belong to that is not in this database. */
export interface Strays {
  readonly beings: readonly string[]
  /** other realities, in a Temporal where none is expected. What they began is theirs to end */
  readonly realities: readonly string[]
}

interface Place {
  readonly temporal: Pick<Client, 'workflow'>
  readonly reality: Pick<Reality, 'id' | 'name'>
  /** whether no other reality may have work in this Temporal */
  readonly isAlone: boolean
}

/**
 * Names open workflows that nothing of this reality began: those of beings that do not live in the database,
 * as after an older copy of it was put back, and in a Temporal of its own those of other realities. Each
 * holds its memory and rings in vain. It advises to end only what this reality has marked as its own.
 */
export async function checkStrays(
  { db, ...at }: Place & { readonly temporal: Client; readonly db: Parameters<typeof listAddresses>[0] },
  configFile: string | null,
): Promise<DoctorCheck[]> {
  const holder = await findNameHolder(at.temporal, at.reality.name)
  if (holder !== null && holder !== at.reality.id) return [judgeTaken(at.reality, holder)]
  const known = new Set<string>((await listAddresses(db)).beings)
  return [judgeStrays(await findStrays(at, known), at.reality, configFile)]
}

export async function findStrays(
  { temporal, reality, isAlone }: Place,
  known: ReadonlySet<string>,
): Promise<Strays> {
  const whose = isAlone ? `${REALITY.name} IS NOT NULL` : `${REALITY.name} = '${reality.name}'`
  const beings = new Set<string>()
  const realities = new Set<string>()
  let read = 0
  for await (const { typedSearchAttributes } of temporal.workflow.list({
    query: `${whose} AND ExecutionStatus = 'Running'`,
  })) {
    const [of, being] = [typedSearchAttributes.get(REALITY), typedSearchAttributes.get(BEING)]
    if (of !== undefined && of !== reality.name) realities.add(of)
    else if (being !== undefined && !known.has(being)) beings.add(being)
    if (++read >= READ_MAX) break
  }
  return { beings: [...beings].sort(), realities: [...realities].sort() }
}

/**
 * @param configFile by which Temporal's command line reaches a server of our own; null for one of the user's
 */
export function judgeStrays(
  { beings, realities }: Strays,
  { name: reality }: Pick<Reality, 'name'>,
  configFile: string | null,
): DoctorCheck {
  if (beings.length + realities.length === 0)
    return { name, ...good('each open workflow is of a being that lives here') }
  const found = [
    ...(beings.length === 0 ? [] : [`of ${few(beings.map(shownBeing))}, which do not live in this database`]),
    ...(realities.length === 0 ? [] : [`of ${few(realities.map((one) => `reality ${quote(one)}`))}`]),
  ]
  const [being] = beings
  return {
    name,
    ...bad(`stray workflows are open: ${found.join('; ')}`, being === undefined ? ASK : ending(being)),
    optional: true,
  }

  function ending(being: string): string {
    // whoever reaches Temporal could put more than a name there, such as `' OR …`
    if (!NAME.test(being)) return 'terminate them in the UI of Temporal'
    const query = `${REALITY.name} = '${reality}' AND ${BEING.name} = '${being}' AND ExecutionStatus = 'Running'`
    const reach = configFile === null ? '' : `TEMPORAL_CONFIG_FILE=${shellWord(configFile)} `
    return `${reach}temporal workflow terminate --reason stray --query "${query}"`
  }
}

const ASK = 'ask who runs those realities: what they began is theirs to end'

/** The workflows of this name are of another reality, so nothing can be said of strays. */
export const judgeTaken = (
  { id, name: reality }: Pick<Reality, 'id' | 'name'>,
  holder: string,
): DoctorCheck => ({
  name,
  ...bad(
    `the beings of another reality ${quote(reality)} work in this namespace of Temporal: its id is ${holder}, that of this database ${id}`,
    'use another namespace (TEMPORAL_NAMESPACE), or make this reality anew under another name (TREEOS_REALITY)',
  ),
})

const NAME = /^[\w./-]+$/

const shownBeing = (being: string): string => (NAME.test(being) ? stanceOf(being) : quote(being))

const few = (names: readonly string[]): string =>
  names.length <= NAMED_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`

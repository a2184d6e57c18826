/** Counts of rules: bounds over the acts that stand on reels of their own. Whether a call keeps them, and where it is counted. */
import { at, isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import type { Question } from './question.ts'
import type { World } from './world.ts'

/** Beyond so many acts none are told apart by when they were. */
const KEPT = 1000
const ARGUMENT = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const VERBS = ['do', 'be', 'summon']
const FORMS = ['after', 'sum', 'each', 'most']

const isWhole = (value: Json | undefined, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max
const isAmount = (value: Json | undefined): value is number => typeof value === 'number' && value >= 0

export const areCounts = (value: Json): value is readonly JsonObject[] =>
  isArray(value) && value.length >= 1 && value.length <= 8 && value.every(isCount)

function isCount(value: Json): boolean {
  const form = isObject(value) && FORMS.find((name) => Object.hasOwn(value, name))
  if (typeof form !== 'string' || !isObject(value)) return false
  const may = [form, ...(form === 'after' ? [] : ['most']), ...(form === 'each' ? [] : ['per', 'within'])]
  const { after, most, per = [], within } = value
  const acts = isObject(after) ? Object.entries(after) : []
  const isAct =
    acts.length === 1 && acts.every(([verb, key]) => VERBS.includes(verb) && typeof key === 'string' && key)
  const argument = form === 'sum' || form === 'each' ? value[form] : 'none'
  return (
    Object.keys(value).every((name) => may.includes(name)) &&
    Boolean(form === 'after' ? isAct : form === 'most' ? isWhole(most, KEPT) : isAmount(most)) &&
    typeof argument === 'string' &&
    ARGUMENT.test(argument) &&
    isArray(per) &&
    new Set(per).size === per.length &&
    per.every((one) => one === 'being' || one === 'person' || one === 'target') &&
    (within === undefined || isWhole(within, 366 * 86_400))
  )
}

/** A rule that counts, with the space and the key under which it stands. */
interface Placed {
  readonly path: string
  readonly name: string
  readonly isTried?: boolean
}

/** @throws {MissingReel} */
export function isKept(world: World, question: Question, placed: Placed, count: JsonObject): boolean {
  const { path, name, isTried } = placed
  const { counting, verb } = question
  const { sum, each, within, most = 0, after } = count
  const argument = sum ?? each
  const amount = argument === undefined ? 1 : at(counting?.args, String(argument))
  if (counting === undefined || !isAmount(amount)) return false
  if (each !== undefined) return amount <= Number(most)
  const [[of = verb, key = name] = []] = isObject(after) ? Object.entries(after) : []
  const counted = isTried === true ? `shadow.${of}` : of
  const told = world.told(tallyOf(world, question, [path, counted, String(key)], count))
  const acts = told.flatMap(({ header, payload }) => {
    const summed = at(payload, 'amounts', String(sum))
    const one = {
      at: Number(at(header, 'at')),
      amount: sum === undefined ? 1 : isAmount(summed) ? summed : 0,
      isDone: at(payload, 'failed') !== true,
    }
    return at(header, 'kind') === COUNTED ? [one] : []
  })
  const since = within === undefined ? Number.NEGATIVE_INFINITY : counting.openedAt - Number(within) * 1000
  const isIn = (act: { readonly at: number }) => act.at > since
  if (after !== undefined) return acts.some((act) => act.isDone && isIn(act))
  if (within !== undefined && acts.slice(0, -KEPT).some(isIn)) return false
  return acts.filter(isIn).reduce((so, act) => so + act.amount, 0) + amount <= Number(most)
}

/** Kind of the fact of an act that is counted. */
const COUNTED = 'tally:counted'

/** The reel of the acts that a count counts together. */
function tallyOf(
  world: World,
  { actor, counting }: Question,
  [path, verb, key]: string[],
  { per }: JsonObject,
): string {
  const isPer = (same: string) => isArray(per) && per.includes(same)
  const by = isPer('being') ? ` by @${elderOf(world, actor.name, true)}` : ''
  const of = isPer('person') ? ` of @${elderOf(world, actor.name, false)}` : ''
  return `tally:${path} ${verb}.${key}${by}${of}${isPer('target') ? ` to ${counting?.target}` : ''}`
}

/** The eldest of the makers of a being below the operator, and where persons end a line, below the nearest one; a person is its own then. */
function elderOf(world: World, name: string, personsEnd: boolean): string {
  const line = [world.being(name), ...world.lineage(name)].flatMap((one) => one ?? [])
  const end = line.findIndex(({ isPerson, parent }) => (personsEnd && isPerson) || parent === null)
  return line.slice(0, Math.max(end, 0)).at(-1)?.name ?? name
}

/** The reels on which a call is counted, each with the arguments that are summed there: of the rules that decide about it, and of those around it that it has to come before. */
export function talliesOf(
  world: World,
  question: Question,
  rules: readonly (Placed & { readonly counts: readonly JsonObject[] })[],
  expecting: readonly { readonly path: string; readonly counts: readonly JsonObject[] }[],
  isTried: boolean,
): [reel: string, sums: Json[]][] {
  const { verb, key, counting } = question
  const of = isTried ? `shadow.${verb}` : verb
  const sums = new Map<string, Json[]>()
  const add = (reel: string, { sum }: JsonObject) =>
    sums.set(reel, [
      ...(sums.get(reel) ?? []),
      ...(sum !== undefined && isAmount(at(counting?.args, String(sum))) ? [sum] : []),
    ])
  const own = rules.flatMap(({ path, name, counts }) =>
    counts
      .filter(({ after, each }) => after === undefined && each === undefined)
      .map((count) => [tallyOf(world, question, [path, of, name], count), count] as const),
  )
  const others = expecting.flatMap(({ path, counts }) =>
    counts
      .filter(({ after }) => at(after, verb) === key)
      .map((count) => [tallyOf(world, question, [path, of, key], count), count] as const),
  )
  for (const [reel, count] of [...own, ...others]) add(reel, count)
  return [...sums]
}

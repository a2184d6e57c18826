import { didYouMean, isBeingName, isJsonObject, quote, TreeosError } from '@treeos/core'
import type { ParseFault } from '../parse/fault.ts'
import { withFullNames } from '../parse/full-names.ts'
import { parseRole } from '../parse/parse-role.ts'
import type { Entry } from '../shape/entry.ts'
import type { RoleSpec } from '../shape/role.ts'
import type { Lint } from './lint.ts'

export interface RoleLintOptions {
  /** when given, the names that `canDo`, `canBe` and `see` can mean; others are warned of */
  readonly known?: Readonly<Record<'canDo' | 'canBe' | 'see', readonly string[]>> & {
    /** the names that tokens can have; left out where they are not known */
    readonly tokens?: Readonly<Record<'rel' | 'resolver' | 'kind', readonly string[]>>
  }
}

const WHAT = { canDo: 'operation', canBe: 'operation', see: 'see-resolver' } as const

/** Checks a role before `set-role` writes it. Never throws. Lists all faults, one a field. */
export function lintRole(role: unknown, { known }: RoleLintOptions = {}): Lint {
  const { spec, errors } = parseAll(role)
  if (spec === null) return { errors, warnings: [] }
  if (spec.name.includes(':'))
    errors.push({ path: 'name', message: 'has a prefix; only an extension brings such a role' })
  if (typeof spec.prompt !== 'string')
    errors.push({ path: 'prompt', message: 'is a function; only an extension brings one' })
  if (errors.length > 0) return { errors, warnings: [] }
  if (known === undefined) return { errors, warnings: warningsOf(spec) }
  const { spec: full, faults } = withFullNames(spec, known)
  return {
    errors: [...faults],
    warnings: [...unknownNames(full, known), ...unknownTokens(full, known), ...warningsOf(full, known)],
  }
}

const warningsOf = (spec: RoleSpec, known?: RoleLintOptions['known']): ParseFault[] => [
  ...misread(spec, known?.tokens?.rel ?? []),
  ...unheardProse(spec),
  ...unansweredAfterAct(spec),
  ...reachesNobodyWithoutAsker(spec),
  ...asksWithoutAnswering(spec),
  ...idleSteps(spec),
]

/** Reads the role again without each field that has a fault, until no fault is left. */
function parseAll(role: unknown): { spec: RoleSpec | null; errors: ParseFault[] } {
  const errors: ParseFault[] = []
  for (let given = role; ; ) {
    try {
      return { spec: parseRole(given), errors }
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      // a name tells its fault without its field
      const { field = 'name' } = (error.detail ?? {}) as { field?: string }
      errors.push({
        path: isJsonObject(given) ? field : '',
        message: error.message.replace(/^role field \S+ /, ''),
      })
      const [top = ''] = field.split(/[.[]/)
      if (!isJsonObject(given) || (top !== 'name' && !Object.hasOwn(given, top)))
        return { spec: null, errors }
      const { [top]: _faulty, ...rest } = given
      given = { ...rest, name: rest.name ?? 'unnamed' }
    }
  }
}

/** Prose that is to be an answer and can reach nobody. */
function unheardProse({ prose, canSummon, respondMode }: RoleSpec): ParseFault[] {
  if (prose !== 'answers') return []
  if (respondMode === 'none') return [{ path: 'prose', message: 'is not sent, since respondMode is none' }]
  return canSummon.length > 0
    ? []
    : [{ path: 'prose', message: 'reaches nobody, since canSummon is empty: add {"rel": "asker"}' }]
}

/**
 * Whether beings speak to the wearers of a role, and wearers can answer whoever does. A person does so when
 * it likes.
 */
export function isSpokenTo({ canSummon, triggerOn, respondMode, requiredCognition }: RoleSpec): boolean {
  const reachesAsker = canSummon.some((entry) => {
    if (typeof entry === 'string') return false
    return 'rel' in entry ? entry.rel === 'asker' : 'pattern' in entry && /^@?\*$/.test(entry.pattern)
  })
  const isWoken = triggerOn === undefined || triggerOn.includes('message')
  return reachesAsker && isWoken && respondMode !== 'none' && requiredCognition !== 'human'
}

/** A tool that is used for somebody who then hears nothing. */
function unansweredAfterAct(spec: RoleSpec): ParseFault[] {
  const { canDo, canBe, selfContinue } = spec
  if (selfContinue !== undefined || canDo.length + canBe.length === 0 || !isSpokenTo(spec)) return []
  const message =
    'is missing: after one action the wearer stops, and who asked for it hears nothing; ' +
    'write "until-answered" to go on until it has answered, or false'
  return [{ path: 'selfContinue', message }]
}

/** A wake by a schedule or a change has no asker, so a role that reaches its asker alone has no tool then. */
function reachesNobodyWithoutAsker(spec: RoleSpec): ParseFault[] {
  const { canDo, canBe, canSummon, forceToolCall, triggerOn = [] } = spec
  const without = triggerOn.filter((trigger) => trigger === 'schedule' || trigger === 'change')
  if (forceToolCall !== true || without.length === 0 || canDo.length + canBe.length > 0) return []
  const isAsker = (entry: Entry) => typeof entry !== 'string' && 'rel' in entry && entry.rel === 'asker'
  if (!canSummon.every(isAsker)) return []
  const message =
    `a wake by ${without.join(' or ')} has no asker, and the wearer, which must call a tool, can reach nobody else: ` +
    'add to canSummon or canDo whom it tells or what it does then'
  return [{ path: 'triggerOn', message }]
}

/** A being that asks others for whoever asked it, and cannot tell that one what it hears. */
function asksWithoutAnswering(spec: RoleSpec): ParseFault[] {
  const { canSummon, triggerOn, respondMode, requiredCognition, selfContinue, onAnswers } = spec
  const isWoken = triggerOn === undefined || triggerOn.includes('message')
  if (canSummon.length === 0 || !isWoken || requiredCognition === 'human') return []
  if (respondMode === 'none')
    return onAnswers === undefined
      ? []
      : [
          {
            path: 'onAnswers',
            message: 'is of no use, since respondMode is none: what it hears is for nobody',
          },
        ]
  // what goes on by itself announces; a pattern may cover whoever asks
  const asks = onAnswers !== undefined || selfContinue !== true
  if (!asks || !canSummon.every((entry) => typeof entry === 'string' && entry.startsWith('@'))) return []
  const message =
    'names whom the wearer asks, and not whoever asks it: it cannot hand on what it hears; add {"rel": "asker"}'
  return [{ path: 'canSummon', message }]
}

/** Steps without what they are for. */
function idleSteps({ steps, selfContinue = false, canSee }: RoleSpec): ParseFault[] {
  const isFollowed = selfContinue !== false || canSee.length > 0
  if (steps === undefined || isFollowed === steps > 0) return []
  const message = isFollowed
    ? 'is 0: no act is followed by another moment, and no look shows anything'
    : 'is of little use: without selfContinue and canSee only a refused call is followed by another moment'
  return [{ path: 'steps', message }]
}

function unknownNames(spec: RoleSpec, known: NonNullable<RoleLintOptions['known']>): ParseFault[] {
  return (['canDo', 'canBe', 'see'] as const).flatMap((field) =>
    spec[field].flatMap((entry: Entry, i): ParseFault[] => {
      if (typeof entry !== 'string' || isKnown(entry, known[field], field)) return []
      return [
        {
          path: `${field}[${i}]`,
          message: `no loaded extension has the ${WHAT[field]} ${JSON.stringify(entry)}${didYouMean(entry, known[field])}`,
        },
      ]
    }),
  )
}

/** The prefix of a see-resolver may be left out. */
const isKnown = (name: string, names: readonly string[], field: keyof typeof WHAT): boolean =>
  names.includes(name) || (field === 'see' && names.some((one) => one.endsWith(`:${name}`)))

const LISTS = ['canSee', 'canDo', 'canSummon', 'canBe'] as const
const TOKEN_NAMES = { rel: 'relation', resolver: 'resolver', kind: 'kind of pattern' } as const

/** Tokens that nothing here expands: the entry would be left out of every moment. */
function unknownTokens(spec: RoleSpec, { tokens }: NonNullable<RoleLintOptions['known']>): ParseFault[] {
  if (tokens === undefined) return []
  const faultOf = (entry: Entry): string | null => {
    if (typeof entry === 'string') return null
    const [field, name] =
      'rel' in entry
        ? (['rel', entry.rel] as const)
        : 'resolver' in entry
          ? (['resolver', entry.resolver] as const)
          : (['kind', entry.kind] as const)
    if (name === undefined || tokens[field].includes(name)) return null
    const known =
      tokens[field].length === 0 ? 'there is none' : `there is ${[...tokens[field]].sort().join(', ')}`
    return `no ${TOKEN_NAMES[field]} ${JSON.stringify(name)} is known here; ${known}`
  }
  return faultsIn(spec, LISTS, faultOf)
}

/** Names in the lists of addresses that are read as something else than their author may mean. */
function misread(spec: RoleSpec, relations: readonly string[]): ParseFault[] {
  const ofBeings = (entry: Entry): string | null => {
    if (typeof entry !== 'string' || /[@~]/.test(entry)) return null
    if (relations.includes(entry))
      return `${quote(entry)} is the being @${entry}; for the relation write {"rel": ${quote(entry)}}`
    return isBeingName(entry)
      ? null
      : `${quote(entry)} is not a stance, so it allows nothing; write @name, or {"pattern": …}`
  }
  const ofPlaces = (entry: Entry): string | null =>
    typeof entry === 'string' && isBeingName(entry)
      ? `${quote(entry)} is the space /${entry}; for a being write @${entry}, for a thing matter:${entry}, and for a view name it in see`
      : null
  return [...faultsIn(spec, ['canSee'], ofPlaces), ...faultsIn(spec, ['canSummon'], ofBeings)]
}

const faultsIn = (
  spec: RoleSpec,
  lists: readonly (typeof LISTS)[number][],
  faultOf: (entry: Entry) => string | null,
): ParseFault[] =>
  lists.flatMap((list) =>
    spec[list].flatMap((entry, i): ParseFault[] => {
      const message = faultOf(entry)
      return message === null ? [] : [{ path: `${list}[${i}]`, message }]
    }),
  )

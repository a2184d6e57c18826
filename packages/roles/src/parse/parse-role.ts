import {
  COGNITIONS,
  CONTENT_BOUNDS,
  fromJson,
  guardJson,
  isJsonObject,
  isRoleName,
  type Json,
  type JsonObject,
  LIMITS,
  NotPlainJsonError,
  quote,
  requireRoleName,
  TreeosError,
  utf8Length,
} from '@treeos/core'
import { entryFault } from '../shape/entry.ts'
import {
  ANSWER_USES,
  LAYOUTS,
  ORIENTATIONS,
  PROSE_MEANINGS,
  RESPOND_MODES,
  type RoleSpec,
  SELF_CONTINUES,
  VIEW_CHOICES,
} from '../shape/role.ts'
import { fromJsonPath, show } from './fault.ts'

/** Reads the value of a field or throws. FIELDS below is the whole shape of a role. */
type Reader = (value: Json | undefined, field: string) => Json

const FIELDS: Readonly<Record<keyof RoleSpec, Reader>> = {
  name: requireRoleName,
  description: text,
  canSee: entries,
  canDo: entries,
  canSummon: entries,
  canBe: entries,
  see: names,
  views: oneOf(VIEW_CHOICES),
  layout: oneOf(LAYOUTS),
  requiredCognition: oneOf(COGNITIONS),
  selfContinue: selfContinues,
  steps: steps,
  defaultOrientation: oneOf(ORIENTATIONS),
  forceToolCall: flag,
  triggerOn: triggers,
  respondMode: oneOf(RESPOND_MODES),
  onAnswers: oneOf(ANSWER_USES),
  prose: oneOf(PROSE_MEANINGS),
  prompt,
}
const ABSENT: JsonObject = { canSee: [], canDo: [], canSummon: [], canBe: [], see: [], prompt: '' }
/** An npm package and an exact version of it. */
const PACKAGE_VERSION =
  /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*@\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

/**
 * Reads a role from anything: a file, a form, a model. Absent lists become `[]`, an absent prompt is empty.
 * @returns a frozen copy with its fields in a fixed order
 * @throws {TreeosError} INVALID_INPUT, or PAYLOAD_TOO_LARGE for a bound; the message names the field and the
 *   value
 */
export function parseRole(input: unknown): RoleSpec {
  if (!isJsonObject(input)) {
    throw new TreeosError('INVALID_INPUT', `a role is an object, not ${show(input)}`)
  }
  guardWhole(input)
  for (const field of Object.keys(input)) {
    if (Object.hasOwn(FIELDS, field)) continue
    throw invalid(field, `is not a field of a role; known are ${Object.keys(FIELDS).join(', ')}`)
  }
  if (!Object.hasOwn(input, 'name')) throw invalid('name', 'is missing')
  const given: JsonObject = { ...ABSENT, ...input }
  const role: Record<string, Json> = {}
  for (const [field, read] of Object.entries(FIELDS)) {
    if (Object.hasOwn(given, field)) role[field] = freeze(read(given[field], field))
  }
  return fromJson<RoleSpec>(Object.freeze(role))
}

function guardWhole(input: JsonObject): void {
  try {
    const bytes = utf8Length(guardJson(input, { ...CONTENT_BOUNDS, bytesMax: Number.POSITIVE_INFINITY }))
    if (bytes > CONTENT_BOUNDS.bytesMax) throw tooLarge('', 'bytes', bytes, CONTENT_BOUNDS.bytesMax)
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    throw invalid(fromJsonPath(error.path).replace(/^\./, ''), error.reason)
  }
}

function text(value: Json | undefined, field: string): string {
  if (typeof value !== 'string') throw invalid(field, `is text, not ${quote(value)}`)
  return value
}

function flag(value: Json | undefined, field: string): boolean {
  if (typeof value !== 'boolean') throw invalid(field, `is true or false, not ${quote(value)}`)
  return value
}

function selfContinues(value: Json | undefined, field: string): boolean | string {
  const known: readonly Json[] = SELF_CONTINUES
  if (value !== undefined && known.includes(value)) return value as boolean | string
  throw invalid(field, `is true, false or "until-answered", not ${quote(value)}`)
}

function steps(value: Json | undefined, field: string): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LIMITS.stepsMax)
    return value as number
  throw invalid(field, `is a whole number from 0 to ${LIMITS.stepsMax}, not ${quote(value)}`)
}

function oneOf(known: readonly string[]): Reader {
  return (value, field) => {
    if (typeof value === 'string' && known.includes(value)) return value
    throw invalid(field, `is one of ${known.join(', ')}, not ${quote(value)}`)
  }
}

function list(value: Json | undefined, field: string): readonly Json[] {
  if (!Array.isArray(value)) throw invalid(field, `is an array, not ${quote(value)}`)
  if (value.length > LIMITS.canEntriesMax)
    throw tooLarge(field, 'entries', value.length, LIMITS.canEntriesMax)
  return value
}

function entries(value: Json | undefined, field: string): Json[] {
  return list(value, field).map((entry, index) => {
    const fault = entryFault(entry)
    if (fault !== null) throw invalid(`${field}[${index}]`, fault)
    return typeof entry === 'string' ? entry : Object.freeze({ ...(entry as JsonObject) })
  })
}

function names(value: Json | undefined, field: string): Json[] {
  return list(value, field).map((name, index) => {
    if (isRoleName(name)) return name
    const right = 'is a kebab-case name with an optional prefix, as in neighbors or dance:grid'
    throw invalid(`${field}[${index}]`, `${right}, not ${quote(name)}`)
  })
}

function triggers(value: Json | undefined, field: string): Json[] {
  const read = names(value, field)
  const bytes = utf8Length(JSON.stringify(read))
  if (bytes > LIMITS.triggersBytesMax) throw tooLarge(field, 'bytes', bytes, LIMITS.triggersBytesMax)
  return read
}

function prompt(value: Json | undefined, field: string): Json {
  if (typeof value === 'string') {
    const bytes = utf8Length(value)
    if (bytes > LIMITS.rolePromptBytesMax) throw tooLarge(field, 'bytes', bytes, LIMITS.rolePromptBytesMax)
    return value
  }
  const marker = isJsonObject(value) && Object.keys(value).length === 1 ? value.function : undefined
  if (typeof marker === 'string' && PACKAGE_VERSION.test(marker)) return { function: marker }
  throw invalid(field, `is text or {"function": "<package>@<version>"}, not ${quote(value)}`)
}

function freeze(value: Json): Json {
  return typeof value === 'object' ? Object.freeze(value) : value
}

function invalid(field: string, why: string): TreeosError {
  return new TreeosError('INVALID_INPUT', `role field ${field} ${why}`, { field })
}

function tooLarge(field: string, unit: string, size: number, max: number): TreeosError {
  const what = field === '' ? 'a role' : `role field ${field}`
  return new TreeosError('PAYLOAD_TOO_LARGE', `${what} has at most ${max} ${unit}, this one ${size}`, {
    field,
    size,
    max,
  })
}

import {
  COGNITIONS,
  guardJson,
  isBeingName,
  isJsonObject,
  isKey,
  isRoleName,
  type Json,
  type JsonObject,
  NotPlainJsonError,
  parseSpacePath,
  parseStance,
  quote,
  readPath,
} from '@treeos/core'
import { z } from 'zod'

/** Version of the form of the file. */
export const WORLD_FILE_VERSION = 1
const BOUNDS = { depthMax: 64, bytesMax: 16 * 1024 * 1024, isFromText: true } as const

const passes = (check: (text: string) => unknown) => (text: string) => {
  try {
    return check(text) !== false
  } catch {
    return false
  }
}

const object = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'takes an object')
const key = z.string().refine(isKey, 'takes a kebab-case name')
const stance = z.string().refine(passes(parseStance), 'takes a stance, as in @ann')
const path = z
  .string()
  .refine(
    (text) => passes(parseSpacePath)(text) && parseSpacePath(text) === text,
    'takes a path, as in /court',
  )
const whole = z.number().int()
const place = z.strictObject({ x: whole, y: whole, z: whole })
const entry = z.union([z.string(), z.strictObject({ pattern: z.string() })])
const entries = z.array(entry).readonly()

const space = z.strictObject({
  type: z.string(),
  size: place.optional(),
  /** where it is in the space around it */
  coord: place.optional(),
  /** by namespace */
  qualities: z.record(key, z.custom<Json>()).optional(),
  /** as in `permissions`: by verb, then by what is asked for */
  rules: z.record(key, object).optional(),
  /** stances */
  contributors: z.array(stance).readonly().optional(),
})

const priority = z.string().optional()
const schedule = z.strictObject({
  everySeconds: z.number().optional(),
  at: z.array(z.string()).readonly().optional(),
  days: z.array(z.string()).readonly().optional(),
  zone: z.string().optional(),
  missed: z.string().optional(),
  priority,
  content: z.custom<Json>().optional(),
})
const subscription = z.strictObject({
  scope: z.string(),
  below: z.boolean().optional(),
  field: z.string(),
  equals: z.custom<Json>().optional(),
  priority,
  coalesceSeconds: z.number().optional(),
})

const ceiling = z.strictObject({
  canSee: entries,
  canDo: entries,
  canSummon: entries,
  canBe: entries,
})

const being = z.strictObject({
  cognition: z.enum(COGNITIONS),
  script: z.string().optional(),
  /** its default role */
  role: z.string().refine(isRoleName, 'takes the name of a role').optional(),
  home: path,
  /** name of a model connection of the operator's configuration */
  connection: z.string().optional(),
  /** literals and patterns that no stack of it may exceed */
  ceiling: ceiling.optional(),
  /** limits of the being and its offspring */
  budget: object.optional(),
  paused: z.literal(true).optional(),
  flow: z.array(z.custom<Json>()).readonly().optional(),
  qualities: z.record(key, z.custom<Json>()).optional(),
  schedules: z.record(key, schedule).optional(),
  subscriptions: z.record(key, subscription).optional(),
})

const namespace = z.strictObject({
  values: z.record(key, z.custom<Json>()),
  /** stances of the beings that may publish beside the one that plants */
  publishers: z.array(stance).readonly().optional(),
})

/** The parts of a file that can hold words from outside, by their paths. */
export const pathsIn = (parts: Pick<WorldFile, 'roles' | 'signals' | 'spaces' | 'beings'>): string[] =>
  (['roles', 'signals', 'spaces', 'beings'] as const).flatMap((part) =>
    Object.keys(parts[part]).map((name) => `${part}.${name}`),
  )

const shape = z.strictObject({
  treeos: z.literal(WORLD_FILE_VERSION, `takes ${WORLD_FILE_VERSION}, the version of this form`),
  /** those that beings wrote, by name; roles of extensions come with their extension */
  roles: z.record(z.string().refine(isRoleName, 'takes the name of a role'), object).default({}),
  signals: z.record(key, namespace).default({}),
  spaces: z.record(path, space).default({}),
  beings: z.record(z.string().refine(isBeingName, 'takes the name of a being'), being).default({}),
  /** tool servers, as `treeos tools add` takes them; names of secrets, and never a secret */
  tools: z.record(key, object).default({}),
  /**
   * what holds words from outside, as paths in this file: `beings.ann`, `spaces./desk`, `roles.clerk`,
   * `signals.news`
   */
  outside: z.array(z.string()).readonly().default([]),
})

// A mark that names nothing would be lost without a word.
const worldFile = shape.superRefine((file, { addIssue }) => {
  const paths = pathsIn(file)
  for (const [i, path] of file.outside.entries())
    if (!paths.includes(path))
      addIssue({
        code: 'custom',
        path: ['outside', i],
        message: 'takes a part of this file, as in spaces./desk',
      })
})

/** A world without its history. */
export type WorldFile = z.output<typeof shape>
export type SpaceInFile = z.output<typeof space>
export type BeingInFile = z.output<typeof being>
export type Ceiling = z.output<typeof ceiling>

/** What is wrong with a file, and where in it. */
interface FileFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Checks a world. @returns the world, or the first fault */
export function checkWorld(value: unknown): { readonly value: WorldFile } | { readonly fault: FileFault } {
  try {
    guardJson(value, BOUNDS)
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    return { fault: { path: [], message: error.message } }
  }
  if (!isJsonObject(value as Json))
    return { fault: { path: [], message: 'takes an object with roles, spaces, beings …' } }
  const read = worldFile.safeParse(value)
  if (read.success) return { value: read.data }
  const [issue] = read.error.issues
  const at = (issue?.path ?? []).map((one) => (typeof one === 'symbol' ? String(one) : one))
  const found = readPath(value as Json, at.map(String))
  const shown = found === undefined || typeof found === 'object' ? '' : `, and not ${quote(found)}`
  return { fault: { path: at, message: `${issueText(issue)}${shown}` } }
}

function issueText(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'is not as expected'
  if (issue.code === 'unrecognized_keys')
    return `has no field ${issue.keys.map((one) => quote(one)).join(', ')}`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message
}

import {
  guardJson,
  isJsonObject,
  isKey,
  isRoleName,
  type Json,
  type JsonObject,
  NotPlainJsonError,
  OUTCOMES,
  parseStance,
  quote,
  readPath,
  TreeosError,
} from '@treeos/core'
import { LAYOUTS, parseRole, type RoleFlow, type RoleSpec, requireFlow } from '@treeos/roles'
import { z } from 'zod'

/** Version of the form of the file. */
const TRIAL_FILE_VERSION = 1
const MOMENTS_MAX = 10_000
const MOMENTS = 200
const BOUNDS = { depthMax: 96, bytesMax: 4 * 1024 * 1024, isFromText: true } as const
/** What the other side of a comparison is: what was recorded, or another candidate. */
export const RECORDED = 'recorded'

const object = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'takes an object')
const key = z.string().refine(isKey, 'takes a kebab-case name')
const stance = z.string().transform((text, at) => {
  try {
    return parseStance(text)
  } catch {
    at.addIssue('takes a stance, as in @ann')
    return z.NEVER
  }
})
const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'takes an instant, as in 2026-11-01T00:00:00Z')
const listOf = <T extends z.ZodType>(one: T) =>
  z.union([z.array(one).min(1), one.transform((value) => [value])]) as unknown as z.ZodType<z.output<T>[]>

const moments = z.strictObject({
  /** whose; all beings with a model when left out */
  being: listOf(stance).optional(),
  /** the primary role that they wore */
  role: z.string().refine(isRoleName, 'takes the name of a role').optional(),
  outcome: listOf(z.enum(OUTCOMES)).optional(),
  since: instant.optional(),
  until: instant.optional(),
  /** only the newest of them */
  last: z.number().int().min(1).max(MOMENTS_MAX).default(MOMENTS),
  /** so many of these, drawn by the seed */
  sample: z.number().int().min(1).max(MOMENTS_MAX).optional(),
})

const model = z.union([
  z.string().transform((connection) => ({ connection })),
  z.strictObject({ connection: z.string().optional(), name: z.string().optional() }),
])

const candidate = z
  .strictObject({
    /** roles, each instead of the one of its name */
    roles: z.array(object).min(1).optional(),
    flow: z.array(z.custom<Json>()).optional(),
    /**
     * a model connection that the operator named, and a name of a model there; left out, the one that the
     * being has
     */
    model: model.optional(),
    /** of the prompts of all roles that are worn */
    layout: z.enum(LAYOUTS).optional(),
  })
  .transform((given, at) => ({
    model: given.model,
    layout: given.layout,
    roles: (given.roles ?? []).map((role, i) => checked(at, ['roles', i], () => parsedRole(role))),
    flow: given.flow === undefined ? undefined : checked(at, ['flow'], () => requireFlow(given.flow)),
  }))

function checked<T>(at: z.RefinementCtx, path: (string | number)[], read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    at.addIssue({ code: 'custom', message: error.message, path })
    return z.NEVER
  }
}

function parsedRole(given: JsonObject): RoleSpec {
  const spec = parseRole(given)
  if (typeof spec.prompt === 'string') return spec
  throw new TreeosError('INVALID_INPUT', `the role ${spec.name} takes a text as its prompt`)
}

const scorer = z
  .strictObject({
    /**
     * a file of code, from the folder of the trial: it exports a function, or a Signature, or with `against`
     * a function of two
     */
    module: z.string().optional(),
    /** what a model is to judge, in a few sentences */
    task: z.string().optional(),
    /** of the model that judges, a connection that the operator named */
    model: model.optional(),
    /** compares two answers: with `recorded`, or with a candidate */
    against: z.string().optional(),
  })
  .refine(({ module, task }) => (module === undefined) !== (task === undefined), 'takes a module or a task')
  .refine(
    ({ task, model }) => task === undefined || model !== undefined,
    'with a task takes a model, which judges',
  )

const bar = z
  .strictObject({
    metric: z
      .string()
      .regex(/^(same|differs|refused|asks|failed|skipped|cost|seconds|secondsP95|scores\.[a-z0-9-]+)$/, {
        message:
          'takes same, differs, refused, asks, failed, skipped, cost, seconds, secondsP95 or scores.NAME',
      }),
    /** each of them when left out */
    candidate: z.string().optional(),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
  })
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, 'takes atLeast or atMost')

const trial = z
  .strictObject({
    trial: z.literal(TRIAL_FILE_VERSION, `takes ${TRIAL_FILE_VERSION}, the version of this form`),
    /** draws the sample, and which of two answers a judge reads first */
    seed: z.number().int().default(1),
    moments: moments.prefault({}),
    candidates: z
      .record(key, candidate)
      .refine((all) => Object.keys(all).length > 0, 'takes a candidate or more'),
    scorers: z.record(key, scorer).default({}),
    bars: z.array(bar).default([]),
  })
  .superRefine(({ candidates, scorers, bars }, at) => {
    const known = Object.keys(candidates)
    const wrong = (path: (string | number)[], message: string) =>
      at.addIssue({ code: 'custom', path, message })
    if (known.includes(RECORDED)) wrong(['candidates', RECORDED], `${RECORDED} names what was recorded`)
    for (const [name, { against }] of Object.entries(scorers))
      if (against !== undefined && against !== RECORDED && !known.includes(against))
        wrong(['scorers', name, 'against'], `takes ${RECORDED} or a candidate: ${known.join(', ')}`)
    for (const [i, { candidate: of, metric }] of bars.entries()) {
      if (of !== undefined && !known.includes(of))
        wrong(['bars', i, 'candidate'], `takes one of ${known.join(', ')}`)
      const [, score] = metric.split('scores.')
      if (score !== undefined && !Object.hasOwn(scorers, score))
        wrong(
          ['bars', i, 'metric'],
          `takes scores of ${Object.keys(scorers).join(', ') || 'no scorer, since there is none'}`,
        )
    }
  })

/** What is asked again of which past moments, and what has to come out. */
export type Trial = z.output<typeof trial>
export type Candidate = Omit<z.output<typeof candidate>, 'flow'> & { readonly flow: RoleFlow | undefined }
export type ScorerInFile = z.output<typeof scorer>
export type Bar = z.output<typeof bar>
export type MomentQuery = z.output<typeof moments>
/** A model connection of the operator, and perhaps another name of a model there. */
export type ModelChoice = { readonly connection?: string | undefined; readonly name?: string | undefined }

/** Checks a trial. @returns the trial, or the first fault and where it is */
export function checkTrial(
  value: unknown,
):
  | { readonly value: Trial }
  | { readonly fault: { readonly path: readonly (string | number)[]; readonly message: string } } {
  try {
    guardJson(value, BOUNDS)
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    return { fault: { path: [], message: error.message } }
  }
  const read = trial.safeParse(value)
  if (read.success) return { value: read.data }
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).map((one) => (typeof one === 'symbol' ? String(one) : one))
  const found = isJsonObject(value as Json) ? readPath(value as Json, path.map(String)) : (value as Json)
  const shown = found === undefined || typeof found === 'object' ? '' : `, and not ${quote(found)}`
  const message =
    issue?.code === 'unrecognized_keys'
      ? `has no field ${issue.keys.map((one) => quote(one)).join(', ')}`
      : issue?.message
  return { fault: { path, message: `${message ?? 'is not as expected'}${shown}` } }
}

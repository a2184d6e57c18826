import type { Model, ModelOutputs } from '@treeos/activities'
import { asJson, type Decision, type Json, TreeosError } from '@treeos/core'
import { defineSignature, renderSignature, type Signature } from '@treeos/signature'
import { z } from 'zod'
import { type Models, modelNamed, StoppedError, type TrialModels } from './models.ts'
import type { AskedAgain } from './moment.ts'
import type { ScorerInFile, Trial } from './shape.ts'

/** What a scorer of code gets: one answer to one past moment. */
export interface ToScore {
  readonly moment: string
  /** content of the wake, as the being heard it */
  readonly question: Json
  /** what was decided then */
  readonly recorded: Decision | null
  /** what the candidate decided; for a comparison, the other side may be the recorded one */
  readonly decision: Decision | null
  readonly verdict: string | null
}

/** A score, with a reason for people. */
export type TrialScore = { readonly score: number; readonly why?: string } | { readonly error: string }

type Value = number | boolean | { readonly score: number | boolean; readonly why?: string }
type ScoreOne = (answer: ToScore) => Value | Promise<Value>
/** 1: the first is better, 0: the second, 0.5: neither */
type Compare = (first: ToScore, second: ToScore) => Value | Promise<Value>

/** Scores an answer, or compares it with another one. */
export interface Scorer {
  readonly name: string
  /** the candidate that it compares with, or `recorded`; null for one that looks at one answer */
  readonly against: string | null
  score(answer: ToScore, other: ToScore | null, isSwapped: boolean): Promise<TrialScore>
}

/** Imports a module of a trial. */
export type LoadModule = (path: string) => Promise<Readonly<Record<string, unknown>>>

/** @throws {TreeosError} INVALID_INPUT for a module that is not a scorer; LLM_NOT_CONFIGURED */
export function readScorers(
  { scorers }: Trial,
  at: { readonly models: Models; readonly asking: TrialModels; readonly load: LoadModule },
): Promise<Scorer[]> {
  return Promise.all(
    Object.entries(scorers).map(async ([name, given]) => {
      const { task, module } = given
      const against = given.against ?? null
      const judge = given.model === undefined ? null : modelNamed(at.models, given.model)
      if (task !== undefined && judge !== null)
        return judged(name, against, { judge, asking: at.asking }, task)
      return fromModule(name, given, judge, at.asking, await at.load(module ?? ''))
    }),
  )
}

function fromModule(
  name: string,
  { module = '', against: named }: ScorerInFile,
  judge: Model | null,
  asking: TrialModels,
  loaded: Readonly<Record<string, unknown>>,
): Scorer {
  const found = loaded.default
  const against = named ?? null
  const wrong = (takes: string) =>
    new TreeosError('INVALID_INPUT', `scorers.${name}.module: ${module} ${takes}`)
  if (typeof found === 'function') {
    const run = found as Compare & ScoreOne
    return {
      name,
      against,
      score: (answer, other) =>
        caught(async () => scoredOf(await (other === null ? run(answer, answer) : run(answer, other)))),
    }
  }
  if (!isSignature(found)) throw wrong('exports no function and no Signature as its default')
  if (judge === null) throw wrong('exports a Signature, so the scorer takes a model, which judges')
  return bySignature(name, against, { judge, asking }, found)
}

const isSignature = (value: unknown): value is Signature =>
  typeof value === 'object' && value !== null && 'fill' in value && 'readOutputs' in value && 'tool' in value

const json = z.json()
const SCORE = z.strictObject({
  score: z.number().min(0).max(1).describe('from 0, the worst, to 1, the best'),
  why: z.string().describe('one sentence'),
})
const BETTER = z.strictObject({
  better: z.enum(['a', 'b', 'same']).describe('which answer is better'),
  why: z.string().describe('one sentence'),
})

interface Judge {
  readonly judge: Model
  readonly asking: TrialModels
}

/** A scorer whose task is words in the file. */
function judged(name: string, against: string | null, by: Judge, task: string): Scorer {
  const inputs = { question: json.describe('what the being was asked') }
  if (against === null)
    return bySignature(
      name,
      null,
      by,
      defineSignature({
        name,
        task,
        inputs: z.object({ ...inputs, answer: json.describe('what it decided') }),
        outputs: SCORE,
      }) as unknown as Signature,
    )
  return bySignature(
    name,
    against,
    by,
    defineSignature({
      name,
      task,
      inputs: z.object({ ...inputs, a: json.describe('one decision'), b: json.describe('the other one') }),
      outputs: BETTER,
    }) as unknown as Signature,
  )
}

/**
 * Which of two answers the judge reads first is drawn by the seed, since judges like the first one better.
 */
function bySignature(name: string, against: string | null, by: Judge, signature: Signature): Scorer {
  return {
    name,
    against,
    score: (answer, other, isSwapped) =>
      caught(async () => {
        const own = answerIn(answer)
        const inputs =
          other === null
            ? { question: answer.question, answer: own, recorded: asJson(answer.recorded) }
            : {
                question: answer.question,
                a: isSwapped ? answerIn(other) : own,
                b: isSwapped ? own : answerIn(other),
              }
        const outputs = await outputsOf(by, signature, inputs)
        return scoredOf(
          isObject(outputs) && 'better' in outputs ? betterOf(outputs, isSwapped) : (outputs as Value),
        )
      }),
  }
}

function betterOf({ better, why }: Readonly<Record<string, unknown>>, isSwapped: boolean): Value {
  const score = better === 'same' ? 0.5 : (better === 'a') !== isSwapped ? 1 : 0
  return { score, ...(typeof why === 'string' ? { why } : {}) }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

async function outputsOf({ judge, asking }: Judge, signature: Signature, inputs: object): Promise<unknown> {
  const filled = await signature.fill(inputs)
  const request = { tools: [signature.tool], forceToolCall: true, prompt: renderSignature(filled, null) }
  const { answer } = await asking.ask<ModelOutputs>(judge, request, (bounded) => judge.complete(bounded))
  if ('failure' in answer) throw new TreeosError('LLM_FAILED', answer.failure.message)
  return signature.readOutputs(answer.outputs)
}

/** What a decision says: words as they are, a call as it is. */
function answerIn({ decision }: ToScore): Json {
  if (decision === null) return null
  if (decision.kind !== 'call') return asJson(decision)
  const { call } = decision
  return call.verb === 'summon' && call.target === null ? call.content : asJson(call)
}

function scoredOf(value: Value): TrialScore {
  const { score, why } = isObject(value)
    ? (value as { score: unknown; why?: string })
    : { score: value, why: undefined }
  const number = typeof score === 'boolean' ? Number(score) : score
  if (typeof number !== 'number' || !Number.isFinite(number)) return { error: 'the scorer gave no number' }
  return { score: number, ...(typeof why === 'string' ? { why } : {}) }
}

/** A fault of a scorer is part of the result, and misses each bar of that score. */
async function caught(run: () => Promise<TrialScore>): Promise<TrialScore> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoppedError) throw error
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

export const toScore = (
  moment: string,
  question: Json,
  recorded: Decision | null,
  asked: Pick<AskedAgain, 'decision' | 'verdict'> | null,
): ToScore => ({
  moment,
  question,
  recorded,
  decision: asked === null ? recorded : asked.decision,
  verdict: asked?.verdict ?? null,
})

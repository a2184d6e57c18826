import { describeMachine } from '../machine.ts'
import { interruption } from '../services.ts'
import { Instance } from './instance.ts'
import { type Judgement, judge, tallyOfAll } from './judge.ts'
import { fetchWeights, type LlamaServer, startLlama, type WeightsName } from './llama.ts'
import type { Question } from './questions.ts'
import { questionsOf, SCENES, type Scene } from './scenes.ts'

export interface MindsOptions {
  /** small: a few questions of each scene with one seed */
  readonly size: 'small' | 'full'
  /** names of scenes */
  readonly scenes: readonly string[]
  /** different questions of one round, over all scenes; else as `size` says */
  readonly questions: number | undefined
  /** seeds of the model; with a server of one's own, how often everything is asked */
  readonly rounds: number | undefined
  /** a model server of one's own, such as that of Ollama */
  readonly url: string | undefined
  /** with `url`, the name of a model of that server; else a {@link WeightsName} */
  readonly model: string | undefined
  readonly onProgress: (line: string) => void
}

const SIZES = {
  small: { rounds: 1, questions: 5 },
  full: { rounds: 3, questions: 10 },
} as const
const WAIT_SECONDS = 120

/** How one question ended. */
interface Asked {
  readonly scene: string
  readonly question: string
  /** null when nobody answered */
  readonly reply: string | null
  /** why nobody answered: the code of the error, with the outcome or reason of the moment */
  readonly reason: string | null
  /** the tool of the scene was used before */
  readonly usedTool: boolean
  /** null when nobody answered */
  readonly judgement: Judgement | null
  readonly hasFact: boolean
  /** how many moments it took */
  readonly moments: number
  readonly seconds: number
}

/** Lives the first hour of a newcomer with a model that nobody scripted, and counts who gets an answer. */
export async function benchMinds(options: MindsOptions) {
  const asked: Asked[] = []
  const interrupted = interruption()
  const { rounds, questions: ofScene } = SIZES[options.size]
  const questions =
    options.questions === undefined ? ofScene : Math.ceil(options.questions / options.scenes.length)
  const own = (options.model ?? '135m') as WeightsName
  const weights = options.url === undefined ? await fetchWeights(own, options.onProgress) : null
  for (let seed = 1; seed <= (options.rounds ?? rounds); seed++) {
    const server = weights === null ? null : await startLlama(weights, seed)
    try {
      asked.push(...(await live(server, questions, { ...options, interrupted })))
    } finally {
      await server?.stop()
    }
  }
  return {
    benchmark: 'minds',
    size: options.size,
    machine: describeMachine(),
    model: options.url === undefined ? own : (options.model ?? 'local'),
    ...tallyOfAll(asked),
    scenes: Object.fromEntries(
      options.scenes.map((name) => [name, tally(asked.filter(({ scene }) => scene === name))]),
    ),
    answers: asked,
  }
}

async function live(
  server: LlamaServer | null,
  questions: number,
  options: MindsOptions & { readonly interrupted: Promise<never> },
): Promise<Asked[]> {
  const at = new Instance({
    OPENAI_BASE_URL: server?.url ?? options.url,
    OPENAI_API_KEY: process.env.OPENAI_API_KEY ?? 'none',
    TREEOS_MODEL: options.model ?? 'local',
    TREEOS_WEATHER_URL: '', // the recorded weather, from no service
  })
  const scenes = SCENES.filter(({ name }) => options.scenes.includes(name))
  try {
    return await Promise.race([askAll(at, scenes, questions, options), options.interrupted])
  } finally {
    await at.run(['down'])
    await at.remove()
  }
}

async function askAll(
  at: Instance,
  scenes: readonly Scene[],
  questions: number,
  { onProgress }: MindsOptions,
): Promise<Asked[]> {
  await at.must(['up', '--detach', '--no-portal'])
  for (const demo of new Set(scenes.flatMap(({ demos }) => demos))) await at.must(['up', '--demo', demo])
  const asked = []
  for (const scene of scenes) {
    await scene.prepare(at)
    for (const question of questionsOf(scene, questions)) {
      const one = await ask(at, scene, question)
      onProgress(`${scene.name}: ${question.text} -> ${markOf(one)} ${one.reply ?? one.reason}`)
      asked.push(one)
    }
  }
  return asked
}

const markOf = ({ judgement }: Asked): string =>
  judgement === null
    ? '[none]'
    : !judgement.isPlain
      ? `[${judgement.isForPrograms ? 'for programs' : 'not words'}]`
      : judgement.isRight === false
        ? '[not right]'
        : '[ok]'

async function ask(at: Instance, scene: Scene, { text, fact }: Question): Promise<Asked> {
  const started = performance.now()
  const before = await momentsOf(at, scene.being)
  const wait = ['--wait', String(WAIT_SECONDS), '--json']
  const { stdout, stderr } = await at.run(['summon', `@${scene.being}`, text, ...wait])
  const lived = (await momentsOf(at, scene.being)).slice(before.length)
  const { reply, error } = parsed(stdout, stderr)
  const content = reply?.content
  const words = typeof content === 'string' ? content : JSON.stringify(content ?? null)
  const ends = lived.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
  return {
    scene: scene.name,
    question: text,
    reply: reply == null ? null : words,
    judgement: reply == null ? null : judge(text, words, fact),
    hasFact: fact !== null,
    moments: lived.length,
    reason: reply == null ? `${error?.code ?? 'no answer'} (${ends.join(', ')})` : null,
    usedTool:
      scene.tool !== undefined &&
      lived.some(({ outcome, did }) => outcome === 'act' && did?.operation === scene.tool),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  }
}

interface Moment {
  readonly outcome: string
  readonly reason?: string
  readonly did: { readonly operation?: string } | null
}

async function momentsOf(at: Instance, being: string): Promise<Moment[]> {
  const lines = (await at.must(['moments', `@${being}`, '--json'])).trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

interface Answered {
  readonly reply?: { readonly content: unknown } | null
  readonly error?: { readonly code: string; readonly message: string }
}

function parsed(stdout: string, stderr: string): Answered {
  try {
    return JSON.parse(stdout)
  } catch {
    return { error: { code: 'NO_JSON', message: stdout + stderr } }
  }
}

function tally(asked: readonly Asked[]) {
  const reasons: Record<string, number> = {}
  for (const { reason } of asked) if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1
  const answered = asked.filter(({ reply }) => reply !== null)
  return {
    asked: asked.length,
    answered: answered.length,
    answeredWithTool: answered.filter(({ usedTool }) => usedTool).length,
    usedTool: asked.filter(({ usedTool }) => usedTool).length,
    plain: asked.filter(({ judgement }) => judgement?.isPlain === true).length,
    /** of the questions that ask for a fact */
    right: `${asked.filter(({ judgement }) => judgement?.isRight === true).length} of ${asked.filter(({ hasFact }) => hasFact).length}`,
    momentsAQuestion:
      Math.round((10 * asked.reduce((sum, { moments }) => sum + moments, 0)) / Math.max(1, asked.length)) /
      10,
    seconds: Math.round(asked.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, asked.length)),
    reasons,
  }
}

/** What a person asks of an answer before anything else, by plain rules. */
export interface Judgement {
  /** it has words, and nothing that only a program reads: no JSON, no call, no tag, no copy of the question */
  readonly isPlain: boolean
  /** it has what only a program reads: a call, JSON or a tag. No person may get any */
  readonly isForPrograms: boolean
  /** it is plain and has the fact that was asked for; null for a question without one */
  readonly isRight: boolean | null
}

/** Shapes that reach a person only by mistake. */
const PROGRAM_SHAPES = [
  /^\s*[{[]/, // JSON in place of words
  /\{\s*"[^"]+"\s*:/, // JSON among words
  /<\/?tool_(call|response)/,
  /```/,
  /\b[a-z][a-z-]*:[a-z][a-z_-]*\b(?!\/\/)/, // the name of an operation, as in weather:observe
  /\b(observe|summon|set-space|move)\s*\(/,
  /^[\w-]+:\s*\{/,
]

/** @param fact what a right answer says; null: any plain words do */
export function judge(question: string, reply: string, fact: RegExp | null): Judgement {
  const said = reply.trim()
  const isForPrograms = PROGRAM_SHAPES.some((shape) => shape.test(said))
  const isPlain = /[\p{L}\p{N}]/u.test(said) && !said.includes(question) && !isForPrograms
  return { isPlain, isForPrograms, isRight: fact === null ? null : isPlain && fact.test(said) }
}

/** How a question ended; both are null when nobody answered. */
export interface JudgedAnswer {
  readonly reply: string | null
  readonly judgement: Judgement | null
}

/** What all scenes came to: how many got an answer, and what reached a person that only a program reads. */
export function tallyOfAll(asked: readonly JudgedAnswer[]) {
  const forPrograms = asked.filter(({ judgement }) => judgement?.isForPrograms === true)
  return {
    asked: asked.length,
    delivered: asked.filter(({ reply }) => reply !== null).length,
    plain: asked.filter(({ judgement }) => judgement?.isPlain === true).length,
    forPrograms: forPrograms.map(({ reply }) => reply),
  }
}

/**
 * Thinking that a server left in the words: tags in which models think. It counts only at the beginning, so
 * that words about a tag stay words.
 */
const TAGS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|channel>thought', '<channel|>'],
]
/**
 * Templates begin the thinking for the model, so its words hold the end alone: at the end of a line, or
 * before a call.
 */
const HALF_OPEN = /^[\s\S]*?<\/think(?:ing)?>[ \t]*(?:\r?\n|$|(?=[<[{`]))/
/** Control tokens at the end of an answer that a server did not remove. */
const ENDS =
  /(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|call|END_RESPONSE|END_OF_TURN_TOKEN)\|>|<end_of_turn>|<turn\|>|<\/s>|<eos>|<｜end▁of▁sentence｜>)\s*$/
const STARTS = /^\s*(?:<\|START_RESPONSE\|>|<\|start_header_id\|>assistant<\|end_header_id\|>)/

/** The words without thinking and control tokens. Thinking that does not end leaves nothing. */
export function withoutThinking(text: string): string {
  let rest = withoutTags(text)
  if (/<\/think(?:ing)?>/.test(rest)) rest = rest.replace(HALF_OPEN, '')
  rest = rest.replace(STARTS, '')
  if (rest !== text) rest = rest.trimStart()
  for (let i = 0; i < 4 && ENDS.test(rest.slice(-64)); i++)
    rest = rest.slice(0, -64) + rest.slice(-64).replace(ENDS, '')
  return rest
}

function withoutTags(text: string): string {
  let rest = text
  for (let i = 0; i < 16; i++) {
    const begun = rest.trimStart()
    const tag = TAGS.find(([open]) => begun.startsWith(open))
    if (tag === undefined) return rest
    const end = begun.indexOf(tag[1])
    if (end < 0) return ''
    rest = begun.slice(end + tag[1].length)
  }
  return rest
}
